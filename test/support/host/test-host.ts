/**
 * A platform in memory. The test controls records, blobs, settings, consent and time. The network has only the answers
 * of the test.
 */

import type {
  Clients,
  DownloadConsent,
  Host,
  LanguageEngine,
  Log,
  Machine,
  Network,
  RecordsSchema,
  SandboxThreads,
  ShellCommands,
  WeightSource,
} from '#core/host';
import { nodeCapabilities } from '#shim/host/capabilities.ts';
import { tabCapabilities } from '#workers/host/capabilities.ts';
import { MemoryFiles } from '#workers/host/files/memory-files.ts';
import { inlineSandbox } from './inline-sandbox.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { memoryKeys } from './memory-keys.ts';
import { MemoryRecords } from './memory-records.ts';
import { realClock, TestClock } from './test-clock.ts';

export interface LogLine {
  level: keyof Log;
  message: string;
  fields?: Record<string, unknown>;
}

export interface TestHostOptions {
  /** The platform whose capabilities the host has. Default: `node`. */
  platform?: 'tab' | 'node';
  engines?: LanguageEngine[];
  settings?: Record<string, string>;
  schema?: RecordsSchema;
  sources?: WeightSource[];
  machine?: Partial<Machine>;
  /** Default: the platform has none. */
  clients?: Clients;
  /** Default: the platform has none. */
  commands?: ShellCommands;
  /** Python of workflows. Default: the platform has none. */
  python?: SandboxThreads;
  /** Answers outgoing requests. Without it every host is unreachable. */
  fetch?: (request: Request) => Promise<Response> | Response;
  consent?: (request: DownloadConsent, signal: AbortSignal) => Promise<boolean> | boolean;
  /** `real`: the machine's own time. Otherwise the test advances the time. */
  clock?: TestClock | 'real';
}

export interface TestHost extends Host {
  readonly records: MemoryRecords;
  readonly blobs: MemoryBlobs;
  readonly settings: Map<string, string>;
  readonly logged: LogLine[];
  /** Every request for consent, in order. */
  readonly consentRequests: DownloadConsent[];
  /** Every outgoing request. */
  readonly requested: Request[];
  /** Undefined with the real clock. */
  readonly time: TestClock | undefined;
}

export function createTestHost(options: TestHostOptions = {}): TestHost {
  const logged: LogLine[] = [];
  const consentRequests: DownloadConsent[] = [];
  const requested: Request[] = [];
  const settings = new Map(Object.entries(options.settings ?? {}));
  const time = options.clock === 'real' ? undefined : (options.clock ?? new TestClock());
  const write =
    (level: LogLine['level']) =>
    (message: string, fields?: Record<string, unknown>): void => {
      logged.push(fields ? { level, message, fields } : { level, message });
    };
  const network: Network = {
    async fetch(url, init) {
      const request = new Request(url as string, init as RequestInit);
      requested.push(request);
      request.signal.throwIfAborted();
      if (!options.fetch) throw new TypeError('fetch failed');
      return options.fetch(request);
    },
  };
  return {
    capabilities:
      options.platform === 'tab'
        ? tabCapabilities(options.machine?.runtime ?? 'test host')
        : nodeCapabilities,
    records: new MemoryRecords(options.schema),
    blobs: new MemoryBlobs(),
    files: new MemoryFiles(),
    languageEngines: options.engines ?? [],
    sandbox: inlineSandbox,
    ...(options.python && { python: options.python }),
    network,
    ...(options.clients && { clients: options.clients }),
    ...(options.commands && { commands: options.commands }),
    keys: memoryKeys(),
    clock: time ?? realClock,
    log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
    machine: {
      os: 'linux',
      architecture: 'x64',
      cores: 4,
      memoryTotal: 16e9,
      memoryFree: () => 8e9,
      runtime: 'test host',
      gpus: async () => [],
      ...options.machine,
    },
    setting: (name) => settings.get(name),
    async consent(request, signal) {
      consentRequests.push(request);
      return (await options.consent?.(request, signal)) ?? true;
    },
    weightSources: options.sources ?? [],
    settings,
    logged,
    consentRequests,
    requested,
    time,
  };
}
