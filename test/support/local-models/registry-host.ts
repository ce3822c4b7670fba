/** A registry on a platform in memory, with this machine's network and a clock whose timers run 50 times as fast. */
import type { Host } from '#core/host';
import type { ModelRegistry } from '#core/local-models/registry/model-registry.ts';
import type { PullProgress } from '#core/local-models/registry/progress.ts';
import { createRegistry } from '#core/local-models/registry/registry.ts';
import { realClock } from '../host/test-clock.ts';
import { createTestHost, type TestHost, type TestHostOptions } from '../host/test-host.ts';

export interface RegistryUnderTest {
  host: TestHost;
  registry: ModelRegistry;
  /** A new registry over the same storage, as after a restart. */
  restart(): ModelRegistry;
}

export function registryUnderTest(options: TestHostOptions = {}): RegistryUnderTest {
  const memory = createTestHost({ fetch: (request) => fetch(request), clock: 'real', ...options });
  const fastClock: Host['clock'] = {
    ...realClock,
    after: (milliseconds, callback) => realClock.after(milliseconds / 50, callback),
  };
  const host = Object.defineProperty(memory, 'clock', { value: fastClock });
  return { host, registry: createRegistry(host), restart: () => createRegistry(host) };
}

/** All lines of a pull, and its error if it failed. */
export async function collect(
  lines: AsyncIterable<PullProgress>,
): Promise<{ lines: PullProgress[]; error?: Error & { status?: number } }> {
  const seen: PullProgress[] = [];
  try {
    for await (const line of lines) seen.push(line);
    return { lines: seen };
  } catch (error) {
    return { lines: seen, error: error as Error };
  }
}
