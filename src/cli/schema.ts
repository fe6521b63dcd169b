import { Argument } from 'commander'
import { configJsonSchema } from '../config/schema.ts'
import { toRuleJsonSchema } from '../rules/ruleSchema.ts'
import { scenarioJsonSchema } from '../sandbox/scenario.ts'
import { exitCodes } from './exitCodes.ts'
import type { AddCommand } from './run.ts'

const schemas: Readonly<Record<string, () => Record<string, unknown>>> = {
  config: configJsonSchema,
  rules: toRuleJsonSchema,
  scenario: scenarioJsonSchema,
}

/** `spanwatch schema config|rules|scenario` */
export const addSchema: AddCommand = (program, io, done) => {
  program
    .command('schema')
    .description('print a JSON Schema for editors')
    .addArgument(new Argument('<what>', 'which file it describes').choices(Object.keys(schemas)))
    .action((what: string) => {
      io.out(`${JSON.stringify(schemas[what]?.(), null, 2)}\n`)
      done(exitCodes.fine)
    })
}
