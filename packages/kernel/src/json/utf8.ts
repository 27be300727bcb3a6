/** Bytes of a text in UTF-8, without making them. A lone surrogate counts as the replacement character it would become. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      bytes += 1;
    } else {
      bytes += 2;
      // A whole pair is 4 bytes for 2 units: skip the second half.
      if (unit >= 0xd800 && unit < 0xdc00 && isLow(text.charCodeAt(index + 1))) index += 1;
    }
  }
  return bytes;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** Whether a text has at most so many bytes of UTF-8. No character takes more than three per unit, so short text needs no counting. */
export function fitsUtf8(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || (text.length <= maxBytes && utf8Length(text) <= maxBytes);
}
