/** An invalid query; the message has the reason and the position. */
export class QuerySyntaxError extends Error {}
