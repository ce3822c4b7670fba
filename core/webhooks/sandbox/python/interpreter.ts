/**
 * CPython, as Pyodide compiles it. Its bridge to JavaScript is not started, and `guardImports` cuts it off. Each run
 * begins with the memory of the interpreter that has just started, so that no run sees another one.
 */
import type { CodeResult, CodeScript } from '../code-script.ts';
import { CODE_MEMORY } from '../memory-limits.ts';
import { zoneOffset } from '../thread/zone-offset.ts';
import { guardImports, type ModuleMemory } from './guard-imports.ts';
import library from './library.json' with { type: 'json' };
import { PythonChannel } from './python-channel.ts';

/** The files of the package `pyodide`. */
export interface PythonFiles {
  /** The default export of `pyodide.asm.mjs`. */
  createModule(settings: object): Promise<unknown>;
  /** Instantiates `pyodide.asm.wasm`. Resolves with the instance and the module of WebAssembly. */
  instantiate(imports: object): Promise<{ instance: unknown; module: unknown }>;
  /** The bytes of `python_stdlib.zip`. */
  library: Uint8Array;
}

/** The members of Emscripten's module that this uses. */
interface PythonModule extends ModuleMemory {
  readonly ENV: Record<string, string>;
  readonly FS: {
    readonly streams: ({ fd: number } | null)[];
    mkdirTree(path: string): void;
    writeFile(path: string, bytes: Uint8Array): void;
    unlink(path: string): void;
    close(stream: object): void;
  };
  _Py_Initialize(): void;
  _PyRun_SimpleString(text: number): number;
  _malloc(bytes: number): number;
}

/** The number of files that are always open. */
const STANDARD_STREAMS = 3;
/** An interpreter with more memory is not used again (bytes). */
const MAX_REUSED_MEMORY = 96 * 2 ** 20;

export class PythonInterpreter {
  #isBroken = false;

  private constructor(
    private readonly module: PythonModule,
    private readonly channel: PythonChannel,
    /** The address of the statement that runs a script. */
    private readonly statement: number,
    /** The memory of the started interpreter. */
    private readonly snapshot: Uint8Array,
  ) {}

  /** Rejects if Python does not start. */
  static async start(files: PythonFiles): Promise<PythonInterpreter> {
    const channel = new PythonChannel();
    const module = await createModule(files, channel);
    // Reading them would read the terminal of the process.
    for (const path of ['/dev/tty', '/dev/tty1']) module.FS.unlink(path);
    module._Py_Initialize();
    run(module, writeText(module, setupCode()), 'Python could not load its library');
    const statement = writeText(module, 'import _tabd.run\n_tabd.run.run()');
    return new PythonInterpreter(module, channel, statement, module.HEAPU8.slice());
  }

  /** Whether it can run another script. */
  get isUsable(): boolean {
    return !this.#isBroken && this.module.HEAPU8.length <= MAX_REUSED_MEMORY;
  }

  /**
   * Runs a script. This blocks until it ends.
   * @param onLine receives the lines of the console
   * @throws Error if the interpreter failed; then it is not usable
   */
  run(script: CodeScript, onLine: (line: string) => void): CodeResult {
    const { timezone, now } = script.shared;
    const utcOffset = 60 * (zoneOffset(timezone, now) || 0);
    this.#restore();
    this.channel.begin(JSON.stringify({ ...script, shared: { ...script.shared, utcOffset } }), onLine);
    this.#isBroken = true;
    run(this.module, this.statement, 'Python ended without a result');
    const result = JSON.parse(this.channel.end()) as CodeResult;
    this.#isBroken = false;
    return result;
  }

  #restore(): void {
    const { FS, HEAPU8 } = this.module;
    for (const stream of FS.streams.slice(STANDARD_STREAMS)) if (stream) FS.close(stream);
    HEAPU8.set(this.snapshot);
    HEAPU8.fill(0, this.snapshot.length);
  }
}

async function createModule(files: PythonFiles, channel: PythonChannel): Promise<PythonModule> {
  const settings = {
    noInitialRun: true,
    thisProgram: 'python',
    arguments: [],
    stdin: () => null,
    // The module has the code of the bridge, which waits for this list of packages before it does anything.
    API: { config: {}, runtimeEnv: {}, lockFilePromise: new Promise(() => {}) },
    preRun: [
      (module: PythonModule) => {
        module.FS.mkdirTree('/lib/python3.14/lib-dynload');
        module.FS.writeFile('/lib/python314.zip', files.library);
        Object.assign(module.ENV, {
          HOME: '/',
          PYTHONHOME: '/',
          LANG: 'C.UTF-8',
          PYTHONDONTWRITEBYTECODE: '1',
        });
      },
    ],
    instantiateWasm(
      imports: { env: Record<string, unknown> },
      receive: (instance: unknown, module: unknown) => void,
    ) {
      guardImports(imports.env, { memory: () => module as PythonModule, channel, limit: CODE_MEMORY });
      files.instantiate(imports).then(({ instance, module }) => receive(instance, module), failed);
      return {};
    },
  };
  // The settings become the module.
  const module: unknown = settings;
  let failed: (error: unknown) => void = () => {};
  const failure = new Promise<never>((_, reject) => {
    failed = reject;
  });
  await Promise.race([files.createModule(settings), failure]);
  return module as PythonModule;
}

/** The code that makes the modules of `library/`, in Python. */
function setupCode(): string {
  const modules = JSON.stringify(JSON.stringify(library.modules));
  return [
    'import json, sys, types',
    // It would call functions that the sandbox does not have, which ends the interpreter.
    'sys.modules["_ctypes"] = None',
    'sys.modules["_tabd"] = package = types.ModuleType("_tabd")',
    'package.__path__ = []',
    `for part in json.loads(${modules}):`,
    '    name = "_tabd." + part["name"]',
    '    module = sys.modules[name] = types.ModuleType(name)',
    '    setattr(package, part["name"], module)',
    '    exec(compile(part["source"], part["name"] + ".py", "exec"), module.__dict__)',
  ].join('\n');
}

/** Writes a text into the memory of Python, which keeps it. Returns its address. */
function writeText(module: PythonModule, text: string): number {
  const bytes = new TextEncoder().encode(`${text}\0`);
  const address = module._malloc(bytes.length);
  module.HEAPU8.set(bytes, address);
  return address;
}

/** @throws Error with this message if the statements failed */
function run(module: PythonModule, statements: number, message: string): void {
  if (module._PyRun_SimpleString(statements) !== 0) throw new Error(message);
}
