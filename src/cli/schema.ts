import { kinds } from '../checks/index.ts'
import { toTestJsonSchema } from '../replay/tests/testSchema.ts'
import { configJsonSchema } from '../config/describeConfig.ts'
import { MonitorError } from '../lib/errors.ts'
import { toRuleJsonSchema } from '../rules/ruleSchema.ts'
import { scenarioJsonSchema } from '../sandbox/scenario.ts'
import { exitCodes, type Io } from './io.ts'

const schemas = new Map<string, () => object>([
  ['config', configJsonSchema],
  ['rules', () => toRuleJsonSchema(kinds)],
  ['rules-test', toTestJsonSchema],
  ['scenario', scenarioJsonSchema],
])

/** `spanwatch schema config|rules|rules-test|scenario`: JSON Schema for editors. */
export function schema(io: Pick<Io, 'out'>, name: string): number {
  const create = schemas.get(name)
  if (!create) {
    throw new MonitorError(
      'usage',
      `schema: expected one of ${[...schemas.keys()].join(', ')}, got "${name}"`,
    )
  }
  io.out(`${JSON.stringify(create(), null, 2)}\n`)
  return exitCodes.fine
}
