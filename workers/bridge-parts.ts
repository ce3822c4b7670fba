import { Bridge } from './bridge.ts';
import type { FrameServers } from './serve.ts';
import { ServerReporter, type ServerReporterParts } from './server-report.ts';

/** The connection to a shim, and the facts that the shim gets. */
export interface BridgeParts {
  bridge: Bridge;
  reporter: ServerReporter;
}

/** Loaded with the first link: most servers never have a shim. */
export function createBridge(frames: FrameServers, parts: ServerReporterParts): BridgeParts {
  const reporter = new ServerReporter(parts);
  frames.report = () => reporter.report();
  return { bridge: new Bridge(frames), reporter };
}
