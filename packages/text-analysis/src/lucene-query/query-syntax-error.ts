/** A query is not well-formed; the message says where and why. */
export class QuerySyntaxError extends Error {}
