/** Where each value of a settlement lies in its cells, see `SETTLE_WIDTH`. */
export const KEY = 0;
export const FENCE = 1;
export const STATE = 2;
export const OUTCOME = 3;
export const ATTEMPT = 4;
export const FAILURES = 5;
export const LOSSES = 6;
export const NO_PREFETCH = 7;
export const DUE_AT = 8;
export const KEEPS = 9;
export const STARTED_AT = 10;
export const ENDED_AT = 11;
export const ERROR = 12;
export const END_REASON = 13;
export const RESULT = 14;
export const CHECKPOINT = 15;
export const LOG = 16;
