import { ModelfileError, parseModelfile } from './parse-modelfile.ts';
import { isDeprecated, type ParameterValue, parseParameter } from './parse-parameter.ts';

/** The create request that a Modelfile describes, with the files and models that it names. */
export interface ModelfilePlan {
  /** Names of models, or paths, in order. Only a look at the file system distinguishes them. */
  from: string[];
  /** The paths of the adapters. */
  adapters: string[];
  drafts: string[];
  /** Fields of `POST /api/create`. A field without an instruction is absent. */
  fields: {
    template?: string;
    system?: string;
    license?: string[];
    parameters?: Record<string, ParameterValue>;
    messages?: { role: string; content: string }[];
    renderer?: string;
    parser?: string;
    requires?: string;
  };
  /** Messages for people about ignored instructions. */
  warnings: string[];
}

const SEMVER = /^v?(0|[1-9]\d*)(\.(0|[1-9]\d*)){0,2}(-[\da-z.-]+)?(\+[\da-z.-]+)?$/i;

/**
 * Converts a Modelfile to the fields of a create request.
 * @throws ModelfileError
 */
export function planModelfile(text: string): ModelfilePlan {
  const plan: ModelfilePlan = { from: [], adapters: [], drafts: [], fields: {}, warnings: [] };
  const { fields } = plan;
  for (const { name, subject = '', value } of parseModelfile(text)) {
    switch (name) {
      case 'from':
        plan.from.push(value);
        break;
      case 'adapter':
        plan.adapters.push(value);
        break;
      case 'draft':
        plan.drafts.push(value);
        break;
      case 'license':
        fields.license = [...(fields.license ?? []), value];
        break;
      case 'message':
        fields.messages = [...(fields.messages ?? []), { role: subject, content: value }];
        break;
      case 'parameter':
        addParameter(plan, subject, value);
        break;
      case 'requires':
        if (!SEMVER.test(value)) throw new ModelfileError('requires must be a valid semver (e.g. 0.14.0)');
        fields.requires = value.replace(/^v/, '');
        break;
      default:
        fields[name] = value;
    }
  }
  return plan;
}

function addParameter({ fields, warnings }: ModelfilePlan, name: string, text: string): void {
  if (isDeprecated(name)) {
    warnings.push(`parameter ${name} is deprecated and has no effect`);
    return;
  }
  const value = parseParameter(name, [text]);
  const before = fields.parameters?.[name];
  const merged = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
  fields.parameters = { ...fields.parameters, [name]: merged };
}
