/** GLIGEN: phrases with the rectangle of the image where each belongs. */
import { gligenModelNames, loadGligenModel } from '../../models/networks/gligen-model.ts';
import { withOptions } from '../../values/conditioning.ts';
import { choice, int, link, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const gligenLoader = node({
  name: 'GLIGENLoader',
  displayName: 'GLIGENLoader',
  category: 'loaders',
  module: 'nodes',
  description: 'Loads a GLIGEN model of the folder gligen, which places things in rectangles of the image.',
  inputs: { gligen_name: choice(gligenModelNames) },
  outputs: [output('GLIGEN')],
  run: async ({ gligen_name }, { host }) => [await loadGligenModel(host, gligen_name)],
});

const side = (value: number, min: number) => int({ default: value, min, max: 16384, step: 8 });
const cells = (pixels: number) => Math.floor(pixels / 8);

const gligenTextBoxApply = node({
  name: 'GLIGENTextBoxApply',
  displayName: 'GLIGENTextBoxApply',
  category: 'conditioning/gligen',
  module: 'nodes',
  description:
    'Says what a rectangle of the image contains, in pixels. Chain several nodes for several rectangles.',
  inputs: {
    conditioning_to: link('CONDITIONING', undefined),
    clip: link('CLIP', undefined),
    gligen_textbox_model: link('GLIGEN', undefined),
    text: string({ multiline: true, dynamicPrompts: true }),
    width: side(64, 8),
    height: side(64, 8),
    x: side(0, 0),
    y: side(0, 0),
  },
  outputs: [output('CONDITIONING')],
  async run({ conditioning_to, clip, gligen_textbox_model: model, text, width, height, x, y }, { signal }) {
    const { pooled } = await clip.encode(text, signal);
    if (!pooled)
      throw new TypeError(
        'this text encoder has no pooled output (pooler_output), which GLIGEN needs: export it with that output',
      );
    const box = {
      pooled,
      height: cells(height),
      width: cells(width),
      y: cells(y),
      x: cells(x),
    };
    return [
      withOptions(conditioning_to, ({ gligen }) => ({
        gligen: { model, boxes: [...(gligen?.boxes ?? []), box] },
      })),
    ];
  },
});

export const gligenNodes: AnyNode[] = [gligenLoader, gligenTextBoxApply];
