/** The part of WebAssembly's JavaScript interface that is used here; Node has it, its type package does not. */
declare namespace WebAssembly {
  /** Compiled code; may be sent to worker threads. */
  class Module {
    constructor(bytes: Uint8Array);
    private readonly isModule: true;
  }
  class Memory {
    constructor(descriptor: { initial: number });
    readonly buffer: ArrayBuffer;
    /** Adds pages of 64 KiB; views of the old buffer become empty. */
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: { env: object });
    readonly exports: object;
  }
  /** False for damaged bytes, and for instructions that this machine's Node does not know. */
  function validate(bytes: Uint8Array): boolean;
}
