import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Transport, TransportName } from '../exchange.ts';
import { bridgeTransport } from './bridge.ts';
import { doorTransport } from './door.ts';
import { nodeProcessTransport } from './node-process.ts';
import { portTransport } from './port.ts';
import { processTransport } from './process.ts';
import { workerTransport } from './worker.ts';

/** For the contract tables: the scripted engine in this process, real weights on all other transports. */
export function openTransport(name: TransportName): Transport {
  switch (name) {
    case 'process':
      return processTransport();
    case 'worker':
      return workerTransport();
    case 'bridge':
      return bridgeTransport();
    case 'port':
      return portTransport();
    case 'door':
      return doorTransport();
  }
}

/** For replays: real weights everywhere. */
export function openRealTransport(name: TransportName, golden: string): Transport {
  const template = recordedTemplate(golden);
  switch (name) {
    case 'process':
      return nodeProcessTransport(template);
    case 'worker':
      return workerTransport(template);
    case 'bridge':
      return bridgeTransport(template);
    case 'port':
      return portTransport(template);
    case 'door':
      return doorTransport(template);
  }
}

/** The template of the variant with a template of its own, from its recording. */
function recordedTemplate(golden: string): string | undefined {
  try {
    const text = readFileSync(join(golden, 'ollama', 'native_show.json'), 'utf8');
    const recorded = JSON.parse(text) as { response: { json: { template: string } } };
    return recorded.response.json.template;
  } catch {
    return undefined;
  }
}
