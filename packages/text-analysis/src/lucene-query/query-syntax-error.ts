/** The error for an invalid query. The message has the reason and the position. */
export class QuerySyntaxError extends Error {}
