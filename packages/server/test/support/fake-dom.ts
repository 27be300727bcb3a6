/**
 * The few parts of a document that the status page uses. Text can only go in as text: there is no way to hand it markup, so a page that
 * needs one fails here.
 */
export class FakeElement {
  readonly tag: string;
  className = "";
  title = "";
  hidden = false;
  value: unknown = "";
  max = 0;
  children: (FakeElement | string)[] = [];
  readonly attributes = new Map<string, string>();
  readonly listeners = new Map<string, (event: { preventDefault(): void }) => void>();

  constructor(tag: string) {
    if (!/^[a-z][a-z0-9]*$/.test(tag)) throw new Error(`no element is called ${tag}`);
    this.tag = tag;
  }

  append(...parts: (FakeElement | string)[]): void {
    this.children.push(...parts);
  }
  prepend(...parts: (FakeElement | string)[]): void {
    this.children.unshift(...parts);
  }
  replaceChildren(...parts: (FakeElement | string)[]): void {
    this.children = parts;
  }
  get childElementCount(): number {
    return this.children.length;
  }
  get lastElementChild(): { remove(): void } {
    return { remove: () => this.children.pop() };
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  addEventListener(name: string, listener: (event: { preventDefault(): void }) => void): void {
    this.listeners.set(name, listener);
  }
  get textContent(): string {
    return this.children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }
  set textContent(text: string) {
    this.children = [text];
  }
  /** Itself and all within. */
  all(): FakeElement[] {
    return [this, ...this.children.flatMap((child) => (typeof child === "string" ? [] : child.all()))];
  }
}

export class FakeDocument {
  hidden = false;
  readonly byId = new Map<string, FakeElement>();

  /** With one element for each id of a page. */
  constructor(html: string) {
    for (const [, tag, id] of html.matchAll(/<(\w+)[^>]*\sid="([^"]+)"/g)) this.byId.set(id!, new FakeElement(tag!));
  }
  createElement(tag: string): FakeElement {
    return new FakeElement(tag);
  }
  getElementById(id: string): FakeElement | null {
    return this.byId.get(id) ?? null;
  }
}
