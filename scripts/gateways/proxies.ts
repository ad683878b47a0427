/** Ports and files of one proxy before one service. */
export interface Places {
  /** `host:port` of the service, and of its gRPC server. */
  readonly service: string;
  readonly grpcService: string;
  readonly ports: Readonly<Record<Mode | 'grpc' | 'grpcs', number>>;
  readonly folder: string;
}

export const MODES = ['plain', 'prefix', 'host rewritten', 'TLS ended'] as const;
export type Mode = (typeof MODES)[number];

/** The path of the route with a prefix. */
export const PREFIX = '/support';
const METADATA = '/.well-known/oauth-protected-resource';

/** A proxy as its operator would configure it: a listener for each mode, and two for gRPC. */
export interface Proxy {
  readonly name: string;
  readonly file: string;
  readonly version: readonly [string, ...string[]];
  command(file: string): readonly [string, ...string[]];
  config(places: Places): string;
}

export const PROXIES = (envoy: string): readonly Proxy[] => [
  {
    ...{ name: 'nginx', file: 'nginx.conf', version: ['nginx', '-v'], config: nginx },
    command: (file) => ['nginx', '-c', file],
  },
  {
    ...{ name: 'HAProxy', file: 'haproxy.cfg', version: ['haproxy', '-v'], config: haproxy },
    command: (file) => ['haproxy', '-db', '-f', file],
  },
  {
    ...{ name: 'Envoy', file: 'envoy.json', version: [envoy, '--version'], config: envoyJson },
    command: (file) => [envoy, '-c', file, '--disable-hot-restart', '--concurrency', '1', '--log-level', 'error'],
  },
];

function nginx({ service, grpcService, ports, folder }: Places): string {
  const server = (listen: string, locations: string): string => `server { listen 127.0.0.1:${listen}; ${locations} }`;
  const headers = (...more: readonly string[]): string =>
    ['Connection ""', 'X-Forwarded-For $proxy_add_x_forwarded_for', ...more]
      .map((it) => `proxy_set_header ${it};`)
      .join(' ');
  const location = (path: string, to: string, ...more: readonly string[]): string =>
    `location ${path} { proxy_pass http://${to}; proxy_http_version 1.1; ${headers(...more)} }`;
  const host = 'X-Forwarded-Host $http_host';
  const tls = `ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;`;
  const grpc = `location / { grpc_pass grpc://${grpcService}; grpc_set_header Host $http_host; }`;
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((it) => `${it}_temp_path ${folder}/${it};`);
  return `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr error; events {}
http { access_log off; client_max_body_size 11m; ${paths.join(' ')}
  ${server(String(ports.plain), location('/', service, 'Host $http_host'))}
  ${server(
    String(ports.prefix),
    `${location(`${PREFIX}/`, `${service}/`, host, `X-Forwarded-Prefix ${PREFIX}`)} ${location(METADATA, service, host)}`,
  )}
  ${server(String(ports['host rewritten']), location('/', service, host))}
  ${server(`${String(ports['TLS ended'])} ssl`, `${tls} ${location('/', service, 'Host $http_host', 'X-Forwarded-Proto https')}`)}
  ${server(`${String(ports.grpc)} http2`, grpc)}
  ${server(`${String(ports.grpcs)} ssl http2`, `${tls} ${grpc}`)}
}\n`;
}

function haproxy({ service, grpcService, ports, folder }: Places): string {
  const front = (name: string, bind: string, backend: string, ...rules: readonly string[]): string =>
    [
      `frontend ${name}`,
      `  bind 127.0.0.1:${bind}`,
      ...rules.map((rule) => `  ${rule}`),
      `  default_backend ${backend}`,
    ].join('\n');
  const set = (header: string, rest = ''): string => `http-request set-header ${header}${rest}`;
  const forwarded = [set('X-Forwarded-Host %[req.hdr(host)]'), set(`Host ${service}`)];
  const isBelow = ` if { path_beg ${PREFIX}/ }`;
  const tls = `ssl crt ${folder}/both.pem`;
  return `global
  maxconn 256
defaults
  mode http
  option forwardfor
  timeout connect 5s
  timeout client 60s
  timeout server 60s
${front('plain', String(ports.plain), 'service')}
${front(
  'prefix',
  String(ports.prefix),
  'service',
  ...forwarded,
  `${set(`X-Forwarded-Prefix ${PREFIX}`)}${isBelow}`,
  `http-request replace-path ${PREFIX}/(.*) /\\1${isBelow}`,
)}
${front('host', String(ports['host rewritten']), 'service', ...forwarded)}
${front('tls', `${String(ports['TLS ended'])} ${tls}`, 'service', set('X-Forwarded-Proto https'))}
${front('grpc', `${String(ports.grpc)} proto h2`, 'grpc')}
${front('grpcs', `${String(ports.grpcs)} ${tls} alpn h2`, 'grpc')}
backend service
  server one ${service}
backend grpc
  server one ${grpcService} proto h2
`;
}

const TYPES = 'type.googleapis.com/envoy.extensions';

function envoyJson({ service, grpcService, ports, folder }: Places): string {
  const rewritten = { append_x_forwarded_host: true, host_rewrite_literal: service };
  const header = { header: { key: 'X-Forwarded-Prefix', value: PREFIX }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD' };
  const prefixed = [
    { ...route({ ...rewritten, prefix_rewrite: '/' }, `${PREFIX}/`), request_headers_to_add: [header] },
    route(rewritten, METADATA),
  ];
  const grpc = [route({}, '/', 'grpc')];
  const type = `${TYPES}.upstreams.http.v3.HttpProtocolOptions`;
  const http2 = { '@type': type, explicit_http_config: { http2_protocol_options: {} } };
  const options = { 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': http2 };
  return JSON.stringify({
    static_resources: {
      listeners: [
        listener('plain', ports.plain, [route()]),
        listener('prefix', ports.prefix, prefixed),
        listener('host', ports['host rewritten'], [route(rewritten)]),
        listener('tls', ports['TLS ended'], [route()], tls(folder, 'http/1.1')),
        listener('grpc', ports.grpc, grpc),
        listener('grpcs', ports.grpcs, grpc, tls(folder, 'h2')),
      ],
      clusters: [
        cluster('service', service),
        { ...cluster('grpc', grpcService), typed_extension_protocol_options: options },
      ],
    },
  });
}

function tls(folder: string, alpn: string): object {
  const file = (name: string): object => ({ filename: `${folder}/${name}` });
  const certificates = [{ certificate_chain: file('cert.pem'), private_key: file('key.pem') }];
  const type = `${TYPES}.transport_sockets.tls.v3.DownstreamTlsContext`;
  const context = { tls_certificates: certificates, alpn_protocols: [alpn] };
  return { transport_socket: { name: 'tls', typed_config: { '@type': type, common_tls_context: context } } };
}

function route(more: object = {}, prefix = '/', to = 'service'): object {
  return { match: { prefix }, route: { cluster: to, timeout: '0s', idle_timeout: '60s', ...more } };
}

function listener(name: string, port: number, routes: readonly object[], secured: object = {}): object {
  const manager = {
    '@type': `${TYPES}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    ...{ stat_prefix: name, use_remote_address: true, stream_idle_timeout: '60s' },
    route_config: { virtual_hosts: [{ name, domains: ['*'], routes }] },
    http_filters: [{ name: 'router', typed_config: { '@type': `${TYPES}.filters.http.router.v3.Router` } }],
  };
  const chain = { ...secured, filters: [{ name: 'http', typed_config: manager }] };
  return { name, address: socket('127.0.0.1', port), filter_chains: [chain] };
}

function socket(address: string, port: number): object {
  return { socket_address: { address, port_value: port } };
}

function cluster(name: string, at: string): object {
  const { hostname, port } = new URL(`http://${at}`);
  const endpoints = [{ lb_endpoints: [{ endpoint: { address: socket(hostname, Number(port)) } }] }];
  return { name, type: 'STATIC', connect_timeout: '5s', load_assignment: { cluster_name: name, endpoints } };
}
