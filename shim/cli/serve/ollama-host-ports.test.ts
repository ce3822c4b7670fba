import { describe, expect, it } from 'vitest';
import { parsePorts } from '../../ports/port-choice.ts';
import { withOllamaHost } from './ollama-host-ports.ts';

function models(host: string | undefined, ports?: string) {
  const { ports: chosen, notices } = withOllamaHost(parsePorts(ports), { OLLAMA_HOST: host });
  const { port, explicit, address } = chosen.find(({ name }) => name === 'local-models')!;
  for (const other of chosen) if (other.name !== 'local-models') expect(other.address).toBeUndefined();
  return { port, explicit, address, notices };
}

describe('OLLAMA_HOST of a server', () => {
  it.each([
    [undefined, { port: 11434, explicit: false, address: undefined }],
    ['', { port: 11434, explicit: false, address: undefined }],
    ['127.0.0.1', { port: 11434, explicit: false, address: undefined }],
    ['localhost:11500', { port: 11500, explicit: true, address: undefined }],
    ['"127.0.0.1:11500" ', { port: 11500, explicit: true, address: undefined }],
    [':11500', { port: 11500, explicit: true, address: 'any' }],
    ['0.0.0.0', { port: 11434, explicit: false, address: '0.0.0.0' }],
    ['0.0.0.0:0', { port: 0, explicit: true, address: '0.0.0.0' }],
    ['[::]:80', { port: 80, explicit: true, address: '::' }],
    ['127.0.0.1:bad', { port: 11434, explicit: false, address: undefined }],
  ])('%j', (host, expected) => expect(models(host)).toMatchObject(expected));

  it('yields to --ports, which may also close the port', () => {
    expect(models('0.0.0.0:1', 'local-models=2')).toMatchObject({ port: 2, address: '0.0.0.0' });
    expect(models('0.0.0.0:1', 'local-models=off')).toMatchObject({ port: undefined });
  });

  it('reports unsupported parts, and addresses that other computers reach', () => {
    expect(models('127.0.0.1').notices).toEqual([]);
    expect(models('127.0.0.1:bad').notices).toEqual([expect.stringContaining("'bad' is no port number")]);
    expect(models('https://127.0.0.1/x').notices).toEqual([
      expect.stringContaining('plain http'),
      expect.stringContaining('at the root'),
    ]);
    expect(models('0.0.0.0').notices).toEqual([
      expect.stringContaining('the models are reachable from other computers, at 0.0.0.0'),
    ]);
  });
});
