import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { repositoryField } from './repository.ts';

it.each([
  'git@git.example.com:user/tabd.git',
  'ssh://git@git.example.com/user/tabd.git',
  'https://git.example.com/user/tabd',
  'https://name:secret@git.example.com/user/tabd.git/',
])('%s has a public address without a secret', (remote) => {
  const url = 'git+https://git.example.com/user/tabd.git';
  expect(repositoryField(remote)).toEqual({ type: 'git', url });
  expect(repositoryField(remote, 'node-shim')).toEqual({ type: 'git', url, directory: 'node-shim' });
});

it.each(['', '/home/me/tabd', 'file:///home/me/tabd', '../tabd'])('%j is refused', (remote) => {
  expect(() => repositoryField(remote)).toThrow('is not the address of a public repository');
});

it.each(['package.json', 'node-shim/package.json'])('%s asks for provenance', (path) => {
  const { publishConfig } = JSON.parse(readFileSync(path, 'utf8'));
  expect(publishConfig).toEqual({ access: 'public', provenance: true });
});
