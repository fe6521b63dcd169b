import { z } from 'zod'
import { durationText } from './durationText.ts'
import type { Kinds } from './kinds.ts'
import { standardLabels } from './toFindingScope.ts'

const severities = ['critical', 'warning', 'info'] as const
const text = (what: string) => z.string({ error: `expected ${what}` })
const taken: ReadonlySet<string> = new Set(standardLabels)

const labelName = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_]*$/, 'expected a label name of letters, digits and _, beginning with a letter')
  .refine((name) => !taken.has(name), 'this label is set by the monitor itself; choose another name')
  .meta({ not: { enum: [...taken] } })

/** Everything of a rule but its kind. `with` is read by the kind's own schema afterwards. */
const kindlessSchema = z.strictObject({
  name: text('a name')
    .regex(
      /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/,
      'expected a name of letters, digits, . _ and -, up to 64 characters',
    )
    .describe('Unique over all files. It is part of the identity of the alerts: renaming makes a new rule.'),
  with: z
    .record(z.string(), z.unknown(), { error: "expected the kind's parameters, such as { after: 15m }" })
    .default({}),
  where: text('a CEL expression')
    .optional()
    .describe('CEL over the finding: only findings for which it is true raise an alert.'),
  for: durationText.default(0).describe('How long a condition must hold before it fires.'),
  keepFiringFor: durationText.default(0).describe('How long a condition must be gone before it resolves.'),
  severity: z.enum(severities).default('warning'),
  labels: z
    .record(labelName, text('text in quotes').max(200), { error: 'expected labels with their values' })
    .default({}),
  summary: text('a text').min(1, 'expected a text').optional().describe('A Liquid template of one line.'),
  runbook: z
    .url({ protocol: /^https?$/, error: 'expected a link that begins with https:// or http://' })
    .max(1_000)
    .optional(),
  unless: text('a CEL expression')
    .optional()
    .describe('CEL over open("kind"): the rule is silent while it is true.'),
})

/** A rule's schema, the kind among those that there are. */
export function createRuleSchema({ names }: Kinds) {
  const on = z.enum(names as [string, ...string[]]).describe('The kind of finding that the rule reports.')
  const { name, ...rest } = kindlessSchema.shape
  return z.strictObject({ name, on, ...rest })
}

export type RuleSchema = ReturnType<typeof createRuleSchema>
export type RuleText = z.output<RuleSchema>

/** The JSON Schema of a rule file, for editors: one branch a kind, with the kind's own parameters. */
export function toRuleJsonSchema(kinds: Kinds): Record<string, unknown> {
  const ruleSchema = createRuleSchema(kinds)
  const branches = kinds.all.map((detector) => {
    const base = ruleSchema.extend({
      on: z.literal(detector.kind).describe(detector.docs),
      with: detector.params,
    })
    // A detector without required parameters needs no `with`; an event cannot hold for a time.
    const branch = base.partial({ with: true })
    return detector.nature === 'event' ? branch.omit({ for: true, keepFiringFor: true }) : branch
  })
  const file = z.strictObject({ rules: z.array(z.union(branches)).min(1) })
  return z.toJSONSchema(file, { io: 'input', unrepresentable: 'any' })
}
