/** One message of a server-sent event stream. */
export interface StreamMessage {
  readonly event: string;
  readonly data: string;
  readonly id: string | null;
}

/**
 * Splits a body into messages as the event stream format defines it. Ends when the body ends; a message cut off by that is dropped.
 * `onRetry` hears how many ms the server wants a client to wait before it connects again.
 */
export async function* messagesOf(
  body: AsyncIterable<Uint8Array>,
  onRetry: (ms: number) => void,
): AsyncGenerator<StreamMessage> {
  const decoder = new TextDecoder();
  let rest = "";
  let pending = emptyMessage();
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") readLine(pending, line, onRetry);
      else {
        if (pending.data.length > 0) yield { event: pending.event, data: pending.data.join("\n"), id: pending.id };
        pending = emptyMessage();
      }
    }
  }
}

interface Pending {
  event: string;
  data: string[];
  id: string | null;
}
const emptyMessage = (): Pending => ({ event: "message", data: [], id: null });

function readLine(pending: Pending, line: string, onRetry: (ms: number) => void): void {
  const colon = line.indexOf(":");
  if (colon === 0) return;
  const field = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
  if (field === "data") pending.data.push(value);
  else if (field === "event") pending.event = value;
  else if (field === "id") pending.id = value;
  else if (field === "retry" && /^\d{1,9}$/.test(value)) onRetry(Number(value));
}
