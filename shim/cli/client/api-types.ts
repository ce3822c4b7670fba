/** The fields of the API's responses that the command line reads. */

export interface TagsAnswer {
  models: { name: string; digest: string; size: number; modified_at: string }[];
}

export interface PsAnswer {
  models: {
    name: string;
    digest: string;
    size: number;
    size_vram: number;
    context_length?: number;
    expires_at: string;
    /** The browser that has it, if several answer. */
    tab?: string;
  }[];
}

export interface ShowAnswer {
  license?: string;
  modelfile?: string;
  parameters?: string;
  template?: string;
  system?: string;
  details: {
    parent_model?: string;
    format?: string;
    family?: string;
    parameter_size?: string;
    quantization_level?: string;
  };
  messages?: { role: string; content: string }[];
  model_info?: Record<string, unknown>;
  projector_info?: Record<string, unknown>;
  tensors?: { name: string; type: string; shape: number[] }[];
  capabilities?: string[];
  requires?: string;
}

export interface Statistics {
  /** Duration in nanoseconds. */
  total_duration?: number;
  load_duration?: number;
  prompt_eval_count?: number;
  prompt_eval_duration?: number;
  eval_count?: number;
  eval_duration?: number;
}

export interface GenerateLine extends Statistics {
  response?: string;
  thinking?: string;
  done: boolean;
}

export interface ChatMessage {
  role: string;
  content: string;
  thinking?: string;
  images?: string[];
  tool_calls?: { function: { name: string; arguments: unknown } }[];
}

export interface ChatLine extends Statistics {
  message?: ChatMessage;
  done: boolean;
}
