/** The longest delay of a timer, in milliseconds: about 25 days. A timer with a longer delay would fire immediately. */
export const MAX_MILLIS = 2 ** 31 - 1;
