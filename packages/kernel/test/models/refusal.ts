import { GivewayError } from "@giveway/kernel";

/** The coded error that an act throws; anything else fails the test. */
export function refusalOf(act: () => unknown): GivewayError {
  try {
    act();
  } catch (error) {
    if (error instanceof GivewayError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
