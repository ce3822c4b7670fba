/** The nodes of message queues. */
import type { NodeType } from '../../node-api/node-type.ts';
import { kafka, kafkaTrigger } from './kafka.ts';
import { mqtt, mqttTrigger } from './mqtt.ts';
import { rabbitmq } from './rabbitmq.ts';
import { rabbitmqTrigger } from './rabbitmq-trigger.ts';

export const messageNodeTypes: NodeType[] = [
  rabbitmq,
  rabbitmqTrigger,
  mqtt,
  mqttTrigger,
  kafka,
  kafkaTrigger,
];
