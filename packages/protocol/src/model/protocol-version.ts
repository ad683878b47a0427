/** The published protocol versions that are served, as `Major.Minor`. */
export type ProtocolVersion = '1.0' | '0.3' | '0.2' | '0.1';
