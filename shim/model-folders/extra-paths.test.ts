import { expect, it } from 'vitest';
import { expandPath, parseExtraPaths } from './extra-paths.ts';

const FILE = '/config/extra_model_paths.yaml';
const env = { HOME: '/home/me', MODELS: '/disk', YEAR: '2026' };
const parse = (text: string) => parseExtraPaths(text, FILE, env);
const braced = (name: string) => `$\{${name}}`;
const rows = (text: string) => parse(text).map(({ kind, folder }) => [kind, folder]);

it('reads sections with one path or a path on each line', () => {
  const text = `
# Rename this to extra_model_paths.yaml
a111:
    base_path: path/to/webui/
    checkpoints: models/Stable-diffusion
    loras: |
         models/Lora
         models/LyCORIS

other:
    is_default: true
    base_path: ~/ui
    unet: nets
    text_encoders: |
         models/text_encoders/
         models/clip/  # legacy location
    ipadapter: /elsewhere/ipadapter
`;
  expect(parse(text)).toEqual([
    {
      section: 'a111',
      kind: 'checkpoints',
      folder: '/config/path/to/webui/models/Stable-diffusion',
      isDefault: false,
    },
    { section: 'a111', kind: 'loras', folder: '/config/path/to/webui/models/Lora', isDefault: false },
    { section: 'a111', kind: 'loras', folder: '/config/path/to/webui/models/LyCORIS', isDefault: false },
    { section: 'other', kind: 'unet', folder: '/home/me/ui/nets', isDefault: true },
    { section: 'other', kind: 'text_encoders', folder: '/home/me/ui/models/text_encoders', isDefault: true },
    { section: 'other', kind: 'text_encoders', folder: '/home/me/ui/models/clip', isDefault: true },
    { section: 'other', kind: 'ipadapter', folder: '/elsewhere/ipadapter', isDefault: true },
  ]);
});

it('without base_path, paths are relative to the file', () => {
  expect(rows('a:\n  vae: v\n  loras: [x, ../y]\n  gligen:')).toEqual([
    ['vae', '/config/v'],
    ['loras', '/config/x'],
    ['loras', '/y'],
  ]);
});

it('the last of equal keys counts, and all names stay text', () => {
  expect(parse('a: {is_default: yes, vae: old, vae: new}')).toMatchObject([
    { folder: '/config/new', isDefault: true },
  ]);
  expect(parse('y: {is_default: no, vae: 5}')).toMatchObject([
    { section: 'y', folder: '/config/5', isDefault: false },
  ]);
});

it.each(['', '# nothing', 'a:\nb:'])('%j names no folder', (text) => expect(parse(text)).toEqual([]));

it.each([
  ['a: {vae: v', /extra_model_paths\.yaml is not YAML: .*line 1/s],
  ['a:\n\tvae: v', /is not YAML: .*line 2/s],
  ['- vae', /has no sections/],
  ['text', /has no sections/],
  ['a: models', /the section a is not a list of folders/],
  ['a: {base_path: [x], vae: v}', /base_path of the section a is not a path/],
  ['a: {vae: {b: c}}', /vae of the section a is neither a path nor a path on each line/],
  ['a: {../vae: v}', /names the kind "\.\.\/vae", which is no name of a folder/],
])('refuses %j and says why', (text, reason) => {
  expect(() => parse(text)).toThrow(reason);
});

it.each([
  ['~', '/home/me'],
  ['~/x', '/home/me/x'],
  ['x/~', 'x/~'],
  ['~other/x', '~other/x'],
  [`$MODELS/a_${braced('YEAR')}`, '/disk/a_2026'],
  [`$UNSET/${braced('UNSET')}`, `$UNSET/${braced('UNSET')}`],
  ['%MODELS%', '%MODELS%'],
])('expands %s to %s', (path, expected) => expect(expandPath(path, env, 'linux')).toBe(expected));

it('expands %NAME% on Windows', () => expect(expandPath('%MODELS%\\x', env, 'win32')).toBe('/disk\\x'));
