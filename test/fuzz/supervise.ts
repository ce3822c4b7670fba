/** Runs a target in a worker thread, and ends inputs that hang or exhaust memory. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { buildTarget } from './build-target.ts';
import { CURRENT_HEAD, type EngineOptions, type EngineReport, type Finding } from './protocol.ts';

export interface FuzzOptions {
  engine: string;
  seed: number;
  /** The worker ends after this time, between two inputs. Milliseconds. */
  duration: number;
  maxRuns: number;
  /** Inputs besides the target's own seeds. */
  inputs: readonly Uint8Array[];
  replays: boolean;
  /** The folder for inputs with findings. */
  folder: string;
}

export interface FuzzResult {
  target: string;
  seed: number;
  runs: number;
  /** Milliseconds. */
  duration: number;
  /** Branches that were reached, and all of them. */
  covered: number;
  counters: number;
  findings: (Finding & { file: string })[];
  /** Inputs that reached new code, in the order in which they were found. */
  inputs: Uint8Array[];
}

/** Milliseconds that an input may take when it waits instead of computing. */
const MAX_WAIT = 20_000;
const POLL = 50;
const MAX_HEAP_MB = 768;
const MAX_INPUT = 2 ** 20;
/** Ends a target that hangs with one input after another. */
const MAX_RESTARTS = 5;

export async function superviseTarget(target: string, options: FuzzOptions): Promise<FuzzResult> {
  const built = await buildTarget(target);
  const result: FuzzResult = {
    target,
    seed: options.seed,
    runs: 0,
    duration: 0,
    covered: 0,
    counters: built.counters,
    findings: [],
    inputs: [],
  };
  const signatures = new Set<string>();
  const addFinding = async (finding: Finding) => {
    if (signatures.has(finding.signature)) return;
    signatures.add(finding.signature);
    const digest = createHash('sha256').update(finding.input).digest('hex').slice(0, 12);
    const file = join(options.folder, `${target}-${finding.kind}-${digest}`);
    result.findings.push({ ...finding, file });
    await mkdir(options.folder, { recursive: true });
    await writeFile(file, finding.input);
  };
  const start = performance.now();
  for (let restarts = 0; restarts <= MAX_RESTARTS; restarts++) {
    const left = options.duration - (performance.now() - start);
    if (left <= 0 || result.runs >= options.maxRuns) break;
    const ended = await runWorker({
      ...options,
      ...built,
      seed: options.seed + restarts,
      inputs: [...options.inputs, ...(options.replays ? [] : result.inputs)],
      maxRuns: options.maxRuns - result.runs,
      duration: left,
      onInput: (bytes, covered) => {
        result.inputs.push(bytes);
        result.covered = Math.max(result.covered, covered);
      },
      onFinding: addFinding,
    });
    result.runs += ended.runs;
    if (!ended.finding) break;
    await addFinding(ended.finding);
  }
  result.duration = performance.now() - start;
  return result;
}

interface WorkerOptions extends FuzzOptions {
  url: string;
  counters: number;
  words: string[];
  maxTime: number;
  onInput: (bytes: Uint8Array, covered: number) => void;
  onFinding: (finding: Finding) => Promise<void>;
}

/** Resolves when the time is over, the engine ends, or an input ends it: then with a finding. */
function runWorker(options: WorkerOptions): Promise<{ runs: number; finding?: Finding }> {
  const { engine, url, seed, inputs, replays, maxRuns, words, counters, onInput, onFinding, maxTime } =
    options;
  const current = new SharedArrayBuffer(CURRENT_HEAD + MAX_INPUT);
  const head = new Int32Array(current, 0, 3);
  const workerData: EngineOptions = { url, seed, inputs, replays, maxRuns, words, counters, current };
  const worker = new Worker(new URL(engine), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  return new Promise((resolve) => {
    const writes: Promise<void>[] = [];
    const end = async (finding?: Finding) => {
      clearTimeout(timer);
      clearInterval(watchdog);
      worker.removeAllListeners();
      await worker.terminate();
      await Promise.all(writes);
      resolve({ runs: Atomics.load(head, 0), ...(finding && { finding }) });
    };
    const currentInput = () => new Uint8Array(current, CURRENT_HEAD, Atomics.load(head, 1)).slice();
    const ending = (kind: Finding['kind'], details: string) =>
      end({ kind, signature: details.split('\n')[0]!, details, input: currentInput() });
    const watchdog = setInterval(
      watch(head, maxTime, (details) => void ending('hang', details)),
      POLL,
    );
    let timer = setTimeout(() => {}, 0);
    worker.on('message', (message: EngineReport) => {
      // The thread ends between two inputs: native code that it runs may not survive its end.
      if (message.type === 'ready') timer = setTimeout(() => Atomics.store(head, 2, 1), options.duration);
      else if (message.type === 'input') onInput(message.bytes, message.covered);
      else if (message.type === 'finding') writes.push(onFinding(message.finding));
      else void end();
    });
    worker.on('error', (error: Error & { code?: string }) => {
      const kind = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'error';
      void ending(kind, `${error.stack ?? error}`);
    });
    // The thread ends early when an input waits for something that never comes.
    worker.on('exit', () => void ending('hang', 'the promise of an input never settles'));
  });
}

/** Checks whether one input takes too long. Processor time counts, so that a loaded machine changes nothing. */
function watch(head: Int32Array, maxTime: number, onHang: (details: string) => void): () => void {
  let run = 0;
  let since = { cpu: process.cpuUsage(), time: performance.now() };
  return () => {
    const now = Atomics.load(head, 0);
    if (now !== run || now === 0) {
      run = now;
      since = { cpu: process.cpuUsage(), time: performance.now() };
      return;
    }
    const { user, system } = process.cpuUsage(since.cpu);
    if ((user + system) / 1000 > maxTime) onHang(`one input computes for more than ${maxTime} ms`);
    else if (performance.now() - since.time > MAX_WAIT) onHang('one input waits without an end');
  };
}
