import type { Transport, TransportName } from '../exchange.ts';
import { processTransport } from './process.ts';

export function openTransport(name: TransportName): Transport {
  switch (name) {
    case 'process':
      return processTransport();
    default:
      throw new Error(`unknown transport ${name}`);
  }
}
