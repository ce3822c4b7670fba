/** The parameters of the Edit Image node. */
import type { Parameter, ShowConditions } from '#core/workflow-format';
import { choice, fixedCollectionList, group, number, options, text } from '../shared/parameters.ts';
import { OPERATOR_NAMES } from './composite.ts';
import { WRITABLE } from './formats.ts';

const OPERATIONS = {
  blur: 'Blur',
  border: 'Border',
  composite: 'Composite',
  create: 'Create',
  crop: 'Crop',
  draw: 'Draw',
  resize: 'Resize',
  rotate: 'Rotate',
  shear: 'Shear',
  transparent: 'Transparent',
};
const RESIZE = {
  ignoreAspectRatio: 'Ignore Aspect Ratio',
  maximumArea: 'Maximum Area',
  minimumArea: 'Minimum Area',
  onlyIfLarger: 'Only if Larger',
  onlyIfSmaller: 'Only if Smaller',
  percent: 'Percent',
};
const COLOR = 'Such as #ff0000. A fourth pair of digits is the transparency: ff is transparent.';

const of = (operation: string): { show: ShowConditions } => ({ show: { operation: [operation] } });
const color = (name: string, label: string, value: string, operation: string) =>
  text(name, label, { default: value, description: COLOR, ...of(operation) });

const operationParameters: Parameter[] = [
  number('blur', 'Blur', 5, { minimum: 0, maximum: 1000, ...of('blur') }),
  number('sigma', 'Sigma', 2, { minimum: 0, maximum: 1000, ...of('blur') }),
  number('borderWidth', 'Border Width', 10, of('border')),
  number('borderHeight', 'Border Height', 10, of('border')),
  color('borderColor', 'Border Color', '#000000', 'border'),
  text('dataPropertyNameComposite', 'Composite Image Property', of('composite')),
  choice('operator', 'Operator', 'Over', { options: OPERATOR_NAMES, ...of('composite') }),
  number('positionX', 'Position X', 0, of('composite')),
  number('positionY', 'Position Y', 0, of('composite')),
  color('backgroundColor', 'Background Color', '#ffffff00', 'create'),
  number('width', 'Image Width', 50, { minimum: 1, ...of('create') }),
  number('height', 'Image Height', 50, { minimum: 1, ...of('create') }),
  number('width', 'Width', 500, of('crop')),
  number('height', 'Height', 500, of('crop')),
  number('positionX', 'Position X', 0, of('crop')),
  number('positionY', 'Position Y', 0, of('crop')),
  choice('primitive', 'Primitive', 'rectangle', {
    options: { circle: 'Circle', line: 'Line', rectangle: 'Rectangle' },
    ...of('draw'),
  }),
  color('color', 'Color', '#ff000000', 'draw'),
  number('startPositionX', 'Start Position X', 50, of('draw')),
  number('startPositionY', 'Start Position Y', 50, of('draw')),
  number('endPositionX', 'End Position X', 250, of('draw')),
  number('endPositionY', 'End Position Y', 250, of('draw')),
  number('cornerRadius', 'Corner Radius', 0, { show: { operation: ['draw'], primitive: ['rectangle'] } }),
  number('width', 'Width', 500, of('resize')),
  number('height', 'Height', 500, of('resize')),
  choice('resizeOption', 'Option', 'maximumArea', { options: RESIZE, ...of('resize') }),
  number('rotate', 'Rotate', 0, { minimum: -360, maximum: 360, ...of('rotate') }),
  color('backgroundColor', 'Background Color', '#ffffffff', 'rotate'),
  number('degreesX', 'Degrees X', 0, of('shear')),
  number('degreesY', 'Degrees Y', 0, of('shear')),
  color('color', 'Color', '#ff0000', 'transparent'),
];

/** The default of a parameter of an operation. Undefined: the operation has none. */
export function operationDefault(operation: string, name: string): unknown {
  return operationParameters.find(
    (parameter) => parameter.name === name && parameter.show?.operation?.includes(operation),
  )?.default;
}

export const parameters: Parameter[] = [
  choice('operation', 'Operation', 'border', {
    literal: true,
    options: { ...OPERATIONS, information: 'Get Information', multiStep: 'Multi Step' },
  }),
  text('dataPropertyName', 'Property Name', { default: 'data' }),
  fixedCollectionList('operations', 'Operations', {
    ...of('multiStep'),
    groups: [
      group('operations', 'Operation', [
        choice('operation', 'Operation', '', { literal: true, options: OPERATIONS }),
        ...operationParameters,
      ]),
    ],
  }),
  ...operationParameters,
  options({
    hide: { operation: ['information'] },
    fields: [
      text('fileName', 'File Name'),
      choice('format', 'Format', 'jpeg', { options: WRITABLE }),
      number('quality', 'Quality', 100, { minimum: 0, maximum: 100, show: { format: ['jpeg', 'webp'] } }),
    ],
  }),
];
