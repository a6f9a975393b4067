/** Gunzip that hides nothing: every member, its checksum and its length, truncation, and bytes after the end. */
import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';

const MAGIC = [0x1f, 0x8b, 8];
const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const FLAG = { headerCrc: 2, extra: 4, name: 8, comment: 16 };
const OUTPUT_CHUNK = 1 << 18;

/** What is wrong with a gzip file, in words. */
export class GzipDamage extends Error {}

/**
 * Reads members one by one. Node's own gunzip ignores what follows the last member and does not say how many there
 * were; here each ends with its stored checksum and length, and anything else is damage.
 */
export class GzipMembers {
  members = 0;
  private readonly onText: (text: Buffer) => void;
  private mode: 'header' | 'body' | 'trailer' = 'header';
  private pending: Buffer = Buffer.alloc(0);
  private inflate: InflateRaw | undefined;
  private settle: { resolve(ended: boolean): void; reject(error: unknown): void } | undefined;
  private crc = 0;
  private length = 0;

  constructor(onText: (text: Buffer) => void) {
    this.onText = onText;
  }

  /** Takes the next raw bytes; the text goes to `onText` in order. */
  async push(chunk: Buffer): Promise<void> {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.mode === 'body') {
        const before = this.inflate!.bytesWritten;
        if (!(await this.write(rest))) return;
        rest = rest.subarray(this.inflate!.bytesWritten - before);
        this.mode = 'trailer';
        continue;
      }
      const bytes = this.pending.length === 0 ? rest : Buffer.concat([this.pending, rest]);
      const used = this.mode === 'header' ? this.header(bytes) : this.trailer(bytes);
      this.pending = used === undefined ? Buffer.from(bytes) : Buffer.alloc(0);
      if (used === undefined) return;
      rest = bytes.subarray(used);
    }
  }

  /** Says that no bytes follow. */
  end(): void {
    this.close();
    if (this.mode === 'header' && this.pending.length === 0 && this.members > 0) return;
    if (this.mode === 'header' && this.members > 0) {
      throw new GzipDamage(`${this.pending.length} bytes follow gzip member ${this.members}`);
    }
    throw new GzipDamage(`the file ends inside gzip member ${this.members + 1}: it was cut off`);
  }

  /** Frees the running decompressor. */
  close(): void {
    this.inflate?.destroy();
    this.inflate = undefined;
  }

  /** Size of the member header, undefined while it is incomplete. */
  private header(bytes: Buffer): number | undefined {
    const wrong = MAGIC.findIndex((byte, i) => i < bytes.length && bytes[i] !== byte);
    if (wrong !== -1) {
      throw new GzipDamage(
        this.members === 0
          ? 'the file does not begin like a gzip file'
          : `bytes that are no gzip member follow member ${this.members}`,
      );
    }
    const size = headerSize(bytes);
    if (size !== undefined) this.start();
    return size;
  }

  private start(): void {
    this.mode = 'body';
    this.crc = 0;
    this.length = 0;
    const inflate = createInflateRaw({ chunkSize: OUTPUT_CHUNK });
    inflate.on('data', (text: Buffer) => {
      try {
        this.crc = crc32(text, this.crc);
        this.length = (this.length + text.length) >>> 0;
        this.onText(text);
      } catch (error) {
        this.settle?.reject(error);
        inflate.destroy();
      }
    });
    inflate.on('end', () => this.settle?.resolve(true));
    inflate.on('error', (error) => {
      const what = `gzip member ${this.members + 1} cannot be decompressed (${error.message})`;
      this.settle?.reject(new GzipDamage(what));
    });
    this.inflate = inflate;
  }

  /** Decompresses a piece of the body; true when the member ended inside it. */
  private write(chunk: Buffer): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      this.inflate!.write(chunk, (error) => {
        if (!error) resolve(false);
      });
    });
  }

  private trailer(bytes: Buffer): number | undefined {
    if (bytes.length < TRAILER_BYTES) return undefined;
    this.close();
    const member = this.members + 1;
    if (bytes.readUInt32LE(0) !== this.crc)
      throw new GzipDamage(`the text of gzip member ${member} does not fit its stored checksum (CRC-32)`);
    if (bytes.readUInt32LE(4) !== this.length)
      throw new GzipDamage(`the text of gzip member ${member} does not have its stored length`);
    this.members = member;
    this.mode = 'header';
    return TRAILER_BYTES;
  }
}

/** RFC 1952, section 2.3: fixed part, then the optional extra field, name, comment and header checksum. */
function headerSize(bytes: Buffer): number | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const flags = bytes[3]!;
  let at = HEADER_BYTES;
  if (flags & FLAG.extra) {
    if (bytes.length < at + 2) return undefined;
    at += 2 + bytes.readUInt16LE(at);
  }
  for (const flag of [FLAG.name, FLAG.comment]) {
    if (!(flags & flag)) continue;
    const zero = bytes.indexOf(0, at);
    if (zero === -1) return undefined;
    at = zero + 1;
  }
  if (flags & FLAG.headerCrc) at += 2;
  return bytes.length < at ? undefined : at;
}
