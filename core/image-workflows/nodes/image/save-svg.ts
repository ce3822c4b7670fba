import type { Svg } from '../../values/media.ts';
import { link, string } from '../kernel/inputs.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';
import { saveFiles } from '../kernel/save-files.ts';

/** The graph as an element at the beginning of the drawing; a `]]>` in it would end its section. */
function withTexts(svg: string, texts: Readonly<Record<string, string>>): string {
  const entries = Object.entries(texts);
  if (entries.length === 0) return svg;
  const json = `{${entries.map(([name, text]) => `${JSON.stringify(name)}: ${text}`).join(',\n')}}`;
  const section = json.replaceAll(']]>', ']]]]><![CDATA[>');
  return svg.replace(/<svg(\s(?:"[^"]*"|'[^']*'|[^>"'])*)?>/, (tag) =>
    tag.endsWith('/>') ? tag : `${tag}\n<metadata><![CDATA[\n${section}\n]]></metadata>`,
  );
}

const saveSvg = node({
  name: 'SaveSVGNode',
  displayName: 'SaveSVGNode',
  category: 'image/save',
  module: 'comfy_extras.nodes_images',
  description: 'Saves vector graphics that a node made in the output folder, with the graph that made them.',
  isOutput: true,
  inputs: { svg: link('SVG', undefined), filename_prefix: string({ default: 'svg/ComfyUI' }) },
  hidden: { prompt: 'PROMPT', extra_pnginfo: 'EXTRA_PNGINFO' },
  outputs: [],
  async run({ svg, filename_prefix }, context) {
    const drawings = drawingsOf(svg);
    const target = await context.files.target(filename_prefix, 'output');
    const images = await saveFiles(drawings.length, [target, 'output', 'svg'], context, (index, texts) =>
      new TextEncoder().encode(withTexts(drawings[index]!, texts)),
    );
    return { ui: { images } };
  },
});

/** What pages' own nodes give is checked. Throws for what holds no drawing. */
function drawingsOf(svg: Svg): readonly string[] {
  const drawings = typeof svg === 'string' ? [svg] : svg?.data;
  if (!Array.isArray(drawings) || drawings.some((one) => typeof one !== 'string' || !/<svg[\s>/]/.test(one)))
    throw new TypeError('an SVG is a text with an <svg> element, or { data: [texts] }');
  return drawings;
}

export const svgSaveNodes: AnyNode[] = [saveSvg];
