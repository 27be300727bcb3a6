/** Where each value of a settlement lies in its row of cells, see `SETTLE_WIDTH`. */
export const FENCE = 0;
export const STATE = 1;
export const OUTCOME = 2;
export const ATTEMPT = 3;
export const FAILURES = 4;
export const LOSSES = 5;
export const NO_PREFETCH = 6;
export const DUE_AT = 7;
export const KEEPS = 8;
export const STARTED_AT = 9;
export const ENDED_AT = 10;
export const ERROR = 11;
export const END_REASON = 12;
export const RESULT = 13;
export const CHECKPOINT = 14;
export const LOG = 15;
