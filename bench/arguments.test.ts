import { describe, expect, it } from 'vitest';
import { ArgumentError, parseArguments } from './arguments.ts';

function failure(...argv: string[]): [exitCode: number, message: string] {
  try {
    parseArguments(argv);
  } catch (error) {
    if (error instanceof ArgumentError) return [error.exitCode, error.message];
    throw error;
  }
  throw new Error('it was accepted');
}

describe('the command line of the bench', () => {
  it('reads names, peers and switches', () => {
    const words = 'webhooks --against ollama=127.0.0.1:11434 --against n8n=https://n8n.test/ --plots';
    expect(parseArguments(words.split(' '), { N8N_API_KEY: 'secret' })).toEqual({
      names: ['webhooks'],
      against: [
        { kind: 'ollama', origin: 'http://127.0.0.1:11434' },
        { kind: 'n8n', origin: 'https://n8n.test' },
      ],
      n8nKey: 'secret',
      plots: true,
    });
    expect(parseArguments(['--n8n-key', 'a'], { N8N_API_KEY: 'b' }).n8nKey).toBe('a');
    expect(parseArguments([])).toEqual({ names: [], against: [], n8nKey: undefined, plots: false });
  });
  it('refuses unknown words with exit code 2', () => {
    expect(failure('--against', 'llama=127.0.0.1')).toEqual([
      2,
      expect.stringContaining('ollama, comfyui, n8n'),
    ]);
    expect(failure('--against', 'ollama')).toEqual([2, expect.stringContaining('ollama=http://')]);
    expect(failure('--agains')[0]).toBe(2);
  });
  it.each([
    ['', 'is no address'],
    ['http://', 'is no address'],
    ['127.0.0.1:99999', 'is no address'],
    ['ftp://127.0.0.1', 'neither http nor https'],
    ['http://me:pw@127.0.0.1', 'with a password'],
    ['http://127.0.0.1:1/api', "write 'http://127.0.0.1:1', without a path"],
  ])('refuses the address %j with exit code 1', (address, message) => {
    expect(failure('--against', `ollama=${address}`)).toEqual([1, expect.stringContaining(message)]);
    expect(failure('--against', `ollama=${address}`)[1]).not.toContain('me:pw');
  });
});
