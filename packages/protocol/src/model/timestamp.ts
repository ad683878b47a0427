const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * Milliseconds since 1970 of a time as RFC 3339 writes it, with its zone (A2A-JSON-03); undefined for any other text.
 * Years are 0001 to 9999, as google.protobuf.Timestamp has them. `Date.parse` alone also reads times without a zone, in
 * the zone of the process, and takes 30 February for 1 March.
 */
export function readTimestamp(text: string): number | undefined {
  const [, date] = RFC_3339.exec(text) ?? [];
  if (date === undefined || date.startsWith('0000') || !isOfCalendar(date)) return undefined;
  return Date.parse(text.toUpperCase());
}

/** The same for operators' input, which may be a day alone: its beginning in UTC. */
export function readTimeOrDay(text: string): number | undefined {
  return readTimestamp(text.length === 10 ? `${text}T00:00:00Z` : text);
}

function isOfCalendar(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}
