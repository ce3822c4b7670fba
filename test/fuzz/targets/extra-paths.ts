/** The file extra_model_paths.yaml. */
import { isAbsolute } from 'node:path';
import { UsageError } from '#shim/base/usage-error.ts';
import { parseExtraPaths } from '#shim/model-folders/extra-paths.ts';
import { check, fuzzTarget, textOf } from '../target.ts';

export default fuzzTarget({
  invariant: 'each folder is absolute, and each kind is a name',
  seeds: () => [
    'comfyui:\n  base_path: ~/x\n  is_default: yes\n  loras: |\n    models/loras # main\n    $HOME/l\n  vae: [a, b]\nother:\n',
    'a: &x\n  loras: l\nb:\n  <<: *x\n  checkpoints: "c\\td"\n',
  ],
  words: ['&a ', '*a', '<<: ', '!!binary ', '? ', '---\n', '%YAML 1.1\n', '[*a,*a,*a,*a]'],
  refusals: [UsageError],
  measured: ['yaml'],
  run(input) {
    for (const { folder, kind } of parseExtraPaths(textOf(input), '/x/extra.yaml', { HOME: '/home/u' })) {
      check(isAbsolute(folder), 'folders are absolute', folder);
      check(!/[/\\]/.test(kind), 'kinds are names', kind);
    }
  },
});
