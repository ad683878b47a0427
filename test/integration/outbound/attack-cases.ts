/** One way to make the service call a place that it must not. */
export interface AttackCase {
  readonly title: string;
  readonly url: string;
}

/** A name, and what the resolver says of it at each question; the last answer is repeated. */
export interface NameCase {
  readonly title: string;
  readonly host: string;
  readonly answers: readonly (readonly string[])[];
}

function literals(title: string, hosts: readonly string[]): readonly AttackCase[] {
  return hosts.map((host) => ({ title: `${title} ${host}`, url: `http://${host}:{port}/hook` }));
}

function urls(title: string, list: readonly string[]): readonly AttackCase[] {
  return list.map((url) => ({ title: `${title} ${JSON.stringify(url)}`, url }));
}

const IPV4_BLOCKS = literals('reserved IPv4', [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.254',
  '127.0.0.1',
  '127.1.2.3',
  '127.255.255.254',
  '169.254.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.255',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.254',
  '255.255.255.255',
]);

const METADATA = literals('metadata address', [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  '[fd00:ec2::254]',
  '[fd00:ec2::23]',
  '[fd20:ce::254]',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a9fe:a9fe::]',
]);

const IPV6_BLOCKS = literals('reserved IPv6', [
  '[::]',
  '[::1]',
  '[::ffff:7f00:1]',
  '[::ffff:a00:1]',
  '[::7f00:1]',
  '[::a9fe:a9fe]',
  '[::ffff:0:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:a00:1::1]',
  '[2001::1]',
  '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  '[2001:10::1]',
  '[2001:20::1]',
  '[2001:2::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[3ffe::1]',
  '[5f00::1]',
  '[100::1]',
  '[100:0:0:1::1]',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[fe80::1]',
  '[fe80::5efe:7f00:1]',
  '[2606:4700::5efe:7f00:1]',
  '[2606:4700::200:5efe:a00:1]',
  '[fec0::1]',
  '[ff02::1]',
  '[ff0e::1]',
  '[2620:4f:8000::1]',
  '[4000::1]',
  '[e000::1]',
]);

const IPV4_DISGUISES = urls('disguised IPv4', [
  'http://2130706433:{port}/',
  'http://0x7f000001:{port}/',
  'http://0x7f.0.0.1:{port}/',
  'http://0177.0.0.1:{port}/',
  'http://017700000001:{port}/',
  'http://127.1:{port}/',
  'http://127.0.1:{port}/',
  'http://0x7f.1:{port}/',
  'http://0:{port}/',
  'http://00.0x0.0:{port}/',
  'http://127.0.0.1.:{port}/',
  'http://0x7F.0.0.0x1:{port}/',
  'http://127.000.000.001:{port}/',
  'http://[::ffff:127.0.0.1]:{port}/',
  'http://[0:0:0:0:0:0:0:1]:{port}/',
  'http://[::127.0.0.1]:{port}/',
  'http://[0000::1]:{port}/',
  'http://4294967295:{port}/',
  'http://134744072:{port}/',
  'http://１２７.0.0.1:{port}/',
  'http://127。0。0。1:{port}/',
  'http://①②⑦.0.0.1:{port}/',
  'http://127.0.0.1%2f:{port}/',
  'http://%31%32%37.0.0.1:{port}/',
  'http://12\u00ad7.0.0.1:{port}/',
  'http://127\u200b.0.0.1:{port}/',
  'http://127.0.0.1%00.example.com:{port}/',
  'http://256.0.0.1:{port}/',
  'http://1.2.3.4.5:{port}/',
]);

const URL_TRICKS = urls('URL trick', [
  'http://example.com@127.0.0.1:{port}/',
  'http://127.0.0.1:{port}@example.com/',
  'http://user:pass@example.com/',
  'http://example.com\\@127.0.0.1:{port}/',
  'http:\\\\127.0.0.1:{port}\\',
  'http:/127.0.0.1:{port}/',
  'http:127.0.0.1:{port}/',
  'http:///127.0.0.1:{port}/',
  '//127.0.0.1:{port}/',
  '/127.0.0.1',
  '127.0.0.1:{port}',
  ' http://127.0.0.1:{port}/',
  'http://127.0.0.1:{port}/ ',
  'ht\ntp://127.0.0.1:{port}/',
  'http://127.0.\t0.1:{port}/',
  'http://127.0.0.1:{port}/#@example.com',
  'http://example.com#@127.0.0.1/',
  'http://example.com:80#@127.0.0.1:{port}/',
  'http://[::1',
  'http://[fe80::1%25lo]:{port}/',
  'http://[::1%lo]:{port}/',
  'http://127.0.0.1:{port}\r\nX: y/',
  '',
  'http://',
  'http://:{port}/',
  'http://?',
  'http://..:{port}/',
  'http://a..b:{port}/',
  'http://-:{port}/',
  `http://${'a'.repeat(64)}.com:{port}/`,
  `http://example.com:{port}/${'x'.repeat(2100)}`,
]);

const SCHEMES = urls('scheme', [
  'file:///etc/passwd',
  'ftp://127.0.0.1:{port}/',
  'gopher://127.0.0.1:{port}/_x',
  'ws://127.0.0.1:{port}/',
  'javascript:alert(1)',
  'data:text/plain,hi',
  'unix:/var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  'redis://127.0.0.1:{port}/',
  'blob:http://127.0.0.1/x',
  'jar:http://127.0.0.1!/',
  'dict://127.0.0.1:{port}/d',
]);

const PORTS = urls('port', [
  'http://example.com:0/',
  'http://example.com:22/',
  'http://example.com:25/',
  'http://example.com:6379/',
  'http://example.com:9200/',
  'http://example.com:65536/',
  'http://example.com:-1/',
  'http://example.com:80a/',
]);

const RESERVED_NAMES = [
  'localhost',
  'localhost.',
  'LOCALHOST',
  'foo.localhost',
  'localhost.localdomain',
  'ip6-localhost',
  'metadata',
  'metadata.google.internal',
  'metadata.google.internal.',
  'metadata.goog',
  'instance-data',
  'kubernetes',
  'redis',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  'receiver.team-a.svc',
  'printer.local',
  'router.lan',
  'nas.home',
  'gw.home.arpa',
  'wiki.corp',
  'db.internal',
  'x.intranet',
  'x.private',
  'x.test',
  'x.invalid',
  'x.onion',
  '1.0.0.127.in-addr.arpa',
  'host.docker.internal',
  'x.alt',
].map((host) => ({ title: `reserved name ${host}`, url: `http://${host}:{port}/hook` }));

/** Every URL here is refused before a name is asked for. `{port}` is a port that the rules allow. */
export const ATTACKS: readonly AttackCase[] = [
  ...IPV4_BLOCKS,
  ...METADATA,
  ...IPV6_BLOCKS,
  ...IPV4_DISGUISES,
  ...URL_TRICKS,
  ...SCHEMES,
  ...PORTS,
  ...RESERVED_NAMES,
];

const PUBLIC = '93.184.215.14';

/** Harmless-looking names whose addresses are not: refused once they are resolved. */
export const NAME_ATTACKS: readonly NameCase[] = [
  { title: 'loopback answer', host: 'a.attacker.example.com', answers: [['127.0.0.1']] },
  { title: 'wildcard DNS', host: '127.0.0.1.nip.io', answers: [['127.0.0.1']] },
  { title: 'private answer', host: 'b.attacker.example.com', answers: [['10.1.2.3']] },
  { title: 'metadata answer', host: 'c.attacker.example.com', answers: [['169.254.169.254']] },
  { title: 'public-looking metadata answer', host: 'd.attacker.example.com', answers: [['168.63.129.16']] },
  { title: 'one private answer after a public one', host: 'e.attacker.example.com', answers: [[PUBLIC, '127.0.0.1']] },
  { title: 'one private answer before a public one', host: 'f.attacker.example.com', answers: [['127.0.0.1', PUBLIC]] },
  { title: 'private IPv6 beside a public IPv4', host: 'g.attacker.example.com', answers: [[PUBLIC, '::1']] },
  { title: 'mapped answer', host: 'h.attacker.example.com', answers: [['::ffff:127.0.0.1']] },
  { title: 'mapped answer in hex', host: 'i.attacker.example.com', answers: [['::ffff:7f00:1']] },
  { title: 'NAT64 answer', host: 'j.attacker.example.com', answers: [['64:ff9b::7f00:1']] },
  { title: '6to4 answer', host: 'k.attacker.example.com', answers: [['2002:7f00:1::']] },
  { title: 'ULA answer', host: 'l.attacker.example.com', answers: [['fd00::1']] },
  { title: 'link-local answer with a zone', host: 'm.attacker.example.com', answers: [['fe80::1%lo']] },
  { title: 'unspecified answer', host: 'n.attacker.example.com', answers: [['0.0.0.0']] },
  { title: 'answer that is no address', host: 'o.attacker.example.com', answers: [['not-an-address']] },
  { title: 'name that looks like a public one', host: 'example.com.attacker.net', answers: [['192.168.1.1']] },
  { title: 'short name of a service', host: 'kubernetes.default', answers: [['10.96.0.1']] },
];

/** Names that are public when they are registered and are not when they are called. */
export const REBINDING_ATTACKS: readonly NameCase[] = [
  { title: 'public, then loopback', host: 'r1.attacker.example.com', answers: [[PUBLIC], ['127.0.0.1']] },
  { title: 'public, then loopback beside it', host: 'r2.attacker.example.com', answers: [[PUBLIC], [PUBLIC, '::1']] },
  { title: 'public, then metadata', host: 'r3.attacker.example.com', answers: [[PUBLIC], ['169.254.169.254']] },
  { title: 'unknown, then loopback', host: 'r4.attacker.example.com', answers: [[], ['127.0.0.1']] },
  { title: 'public IPv6, then ::1', host: 'r5.attacker.example.com', answers: [['2606:4700:4700::1111'], ['::1']] },
  { title: 'public, then mapped loopback', host: 'r6.attacker.example.com', answers: [[PUBLIC], ['::ffff:127.0.0.1']] },
];

/** What must stay possible: a policy that refuses everything would pass the lists above. */
export const HARMLESS_URLS: readonly string[] = [
  'https://example.com/webhook',
  'https://example.com:8443/a/b?x=1',
  'https://EXAMPLE.com/',
  'https://example.com./',
  'https://xn--bcher-kva.example.com/',
  'https://93.184.215.14/',
  'https://[2606:4700:4700::1111]/',
  'https://8.8.8.8/',
  'https://sub_domain.example.com/',
  'https://172.32.0.1/',
  'https://100.128.0.1/',
  'https://192.0.1.1/',
  'https://localhost.example.com/',
  'https://internal.example.com/',
  'https://example.com?x',
  'https://11.0.0.1/',
];
