/** The words of services whose quota or balance is used up. A rate limit has other words: it ends after seconds. */
const USED_UP =
  /insufficient[_ ](quota|balance|credits?|funds)|billing_(hard_limit_reached|not_active)|exceeded_current_quota|quota_exceeded|credit balance is too low|out of credits/i;
/** The words of servers that answer 500 to a text that is too long, such as Ollama and llama.cpp. */
const TOO_LONG =
  /(exceeds?|maximum|larger than)[^"]*(context|input|length|token)|(input|prompt|text)[^"]*too (large|long)/i;

/**
 * Returns whether an answer refuses all requests of the account for a long time: the key is wrong or has no right, or the
 * quota is used up.
 */
export function isAccountRefusal(status: number, body: string): boolean {
  return status === 401 || status === 402 || status === 403 || (status === 429 && USED_UP.test(body));
}

/** Returns whether a server error is about a text that is too long, so that the same request always fails. */
export function isLengthRefusal(status: number, body: string): boolean {
  return status === 500 && TOO_LONG.test(body);
}
