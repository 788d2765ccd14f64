/** The longest time of a timer, in milliseconds: about 25 days. A longer timer would fire at once. */
export const MAX_MILLIS = 2 ** 31 - 1;
