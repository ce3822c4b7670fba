import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeFolder } from '../home/home-folder.ts';
import { parsePorts } from '../ports/port-choice.ts';
import { parseArguments } from './arguments.ts';

const portsOf = (list?: string) => Object.fromEntries(parsePorts(list).map(({ name, port }) => [name, port]));

describe('parseArguments', () => {
  it('serves without a command', () => {
    expect(parseArguments([])).toMatchObject({
      command: 'serve',
      pull: true,
      viaTab: false,
      listen: undefined,
    });
  });

  it.each([
    [['pull', 'smollm2:135m'], { command: 'pull', operands: ['smollm2:135m'] }],
    [['import', 'a.gguf', 'mine'], { command: 'import', operands: ['a.gguf', 'mine'] }],
    [['rm', 'a', 'b'], { command: 'rm', operands: ['a', 'b'] }],
    [['ls'], { command: 'list' }],
    [['serve', '--no-pull', '--via-tab', '--home', '/x'], { pull: false, viaTab: true, home: '/x' }],
    [['--version'], { command: 'version' }],
    [['pull', '--help'], { command: 'help', operands: ['pull'] }],
    [['help', 'ls'], { command: 'help', operands: ['list'] }],
    [['-v'], { command: 'version' }],
    [['version'], { command: 'version' }],
    [['show', '-v', 'm'], { command: 'show', options: { verbose: true } }],
    [['run', 'm', 'why', 'is', '--think'], { operands: ['m', 'why', 'is'], options: { think: 'true' } }],
    [['run', '--think=low', 'm'], { operands: ['m'], options: { think: 'low' } }],
    [['run', '--think', 'm'], { operands: ['m'], options: { think: 'true' } }],
    [['run', 'm', '--keepalive', '-1'], { options: { keepalive: '-1' } }],
    [['run', 'm', '--', '--think', '-1'], { operands: ['m', '--think', '-1'] }],
    [['run', 'm', '--format', 'json', '--keepalive', '1h'], { options: { format: 'json', keepalive: '1h' } }],
    [['create', 'm', '-f', 'x', '-q', 'q4_0'], { options: { file: 'x', quantize: 'q4_0' } }],
    [
      ['serve', '--models-folder', '/a', '--models-folder=b', '--extra-model-paths-config', 'x.yaml'],
      { lists: { 'models-folder': ['/a', 'b'], 'extra-model-paths-config': ['x.yaml'] } },
    ],
    [['serve', '--listen'], { listen: 'any' }],
    [['serve', '--listen', '--no-pull'], { listen: 'any', pull: false }],
    [['serve', '--listen', '192.168.1.5'], { listen: '192.168.1.5' }],
    [['serve', '--listen', '::1'], { listen: '::1' }],
    [['--listen', 'serve'], { listen: 'any', command: 'serve' }],
  ])('%j', (argv, expected) => {
    expect(parseArguments(argv)).toMatchObject(expected);
  });

  it.each([
    [['fly'], /no command 'fly'/],
    [['pull'], /needs the name of a model/],
    [['list', 'x', 'y'], /'y' is one word too many/],
    [['list', '--think'], /list has no option --think.*see tabd help list/],
    [['help', 'fly'], /no command 'fly'/],
    [['cp', 'a'], /needs the name of a model and a new name/],
    [['import', 'a', 'b', 'c'], /'c' is one word too many/],
    [['--color'], /--color.*see tabd --help/],
    [['--home'], /--home/],
    [['--ports', 'app=x'], /'app=x' has no port number/],
  ])('refuses %j', (argv, message) => expect(() => parseArguments(argv)).toThrow(message));
});

describe('parsePorts', () => {
  it.each([
    [undefined, { app: 4180, 'local-models': 11434, 'image-workflows': 8188, webhooks: 5678 }],
    ['1,2,3', { app: 4180, 'local-models': 1, 'image-workflows': 2, webhooks: 3 }],
    ['0,0,0', { app: 4180, 'local-models': 0, 'image-workflows': 0, webhooks: 0 }],
    ['app=0,1,2', { app: 0, 'local-models': 1, 'image-workflows': 2, webhooks: 5678 }],
    [
      'webhooks=off, local-models=7',
      { app: 4180, 'local-models': 7, 'image-workflows': 8188, webhooks: undefined },
    ],
  ])('%s', (list, ports) => expect(portsOf(list)).toEqual(ports));

  it.each([
    ['1,2,3,4', /'4' names none/],
    ['ollama=1', /'ollama=1' names none of app, local-models/],
    ['70000', /no port number/],
    ['8188', /8188 is used twice/],
  ])('refuses %s', (list, message) => expect(() => parsePorts(list)).toThrow(message));
});

describe('homeFolder', () => {
  it.each([
    ['/given', { TABD_HOME: '/env' }, 'linux', '/given'],
    [undefined, { TABD_HOME: ' /env ' }, 'linux', '/env'],
    [undefined, { XDG_DATA_HOME: '/data' }, 'linux', '/data/tabd'],
    [undefined, {}, 'linux', join(homedir(), '.local/share/tabd')],
    [undefined, {}, 'darwin', join(homedir(), 'Library/Application Support/tabd')],
    [undefined, { LOCALAPPDATA: '/local' }, 'win32', '/local/tabd'],
  ] as const)('%s %j %s', (option, env, platform, folder) => {
    expect(homeFolder(option, env, platform)).toBe(folder);
  });
});
