import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { errorText, MonitorError } from '../lib/errors.ts'
import { home } from '../lib/home.ts'
import { suggest } from '../lib/nearest.ts'
import { readPlainText } from '../lib/plainFile.ts'
import { parseYamlDocument } from '../lib/parseYamlDocument.ts'
import { renderProblems } from '../lib/renderProblems.ts'
import { schemaProblems } from '../lib/schemaProblems.ts'
import { withoutEchoes } from '../lib/yamlProblems.ts'
import { answersSchema } from './answers.ts'
import type { PlannedFault, FaultRow } from './faults/fault.ts'
import { historySchema, stagesSchema, trafficSchema } from './settings.ts'
import { answerFaults } from './faults/answerFaults.ts'
import { chainFaults, preconfFaults } from './faults/chainFaults.ts'
import { stageFaults } from './faults/stageFaults.ts'
import { theftFaults, transferFaults } from './faults/transferFaults.ts'

/** Every fault that a scenario can name. A new one is a new row in one of these lists. */
export const faultTable: readonly FaultRow[] = [
  ...transferFaults,
  ...theftFaults,
  ...chainFaults,
  ...preconfFaults,
  ...stageFaults,
  ...answerFaults,
]

type FaultSchema = z.ZodType<PlannedFault> & z.core.$ZodTypeDiscriminable

const faultNames = faultTable.map((row) => row.name)
const timelineEntry = z.discriminatedUnion(
  'fault',
  // Every row's schema begins with an object that holds its name as a literal: see `worldFault` and `answerFault`.
  faultTable.map((row) => row.schema as FaultSchema) as [FaultSchema, ...FaultSchema[]],
  { error: (issue) => (issue.code === 'invalid_union' ? describeUnknownFault(issue.input) : undefined) },
)

const eventSchema = z.strictObject({
  topic: z.string().regex(/^0x[0-9a-f]{64}$/, 'expected a first topic in quotes'),
  means: z.enum(['deposit', 'payout', 'administration']),
  name: z.string().min(1).max(64).default('administration'),
})

const scenarioSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'expected lower-case letters, digits and hyphens'),
  description: z.string().default(''),
  seed: z.union([z.int(), z.string()]).default(1),
  traffic: trafficSchema.prefault({}),
  history: historySchema.prefault({}),
  answers: answersSchema.prefault({}),
  stages: stagesSchema
    .nullable()
    .default(null)
    .describe('What withdrawals pass before they are paid: a proposal, a proof, a time to dispute it'),
  events: z
    .array(eventSchema)
    .default([])
    .describe('Events of the bridge that whoever watches it is configured to know: bridge.events'),
  secondSource: z
    .boolean()
    .default(false)
    .describe('Whether the demo gives the monitor the nodes of both chains as second sources'),
  timeline: z.array(timelineEntry).default([]),
})

/** What happens in a sandbox: its traffic, its history and a timeline of faults. */
export type Scenario = z.output<typeof scenarioSchema>

const shippedFolder = join(home, 'src/sandbox/scenarios')

/** The scenarios that come with spanwatch, by name. */
export async function listScenarios(): Promise<{ name: string; description: string }[]> {
  const files = (await readdir(shippedFolder)).filter((file) => file.endsWith('.yaml')).sort()
  const scenarios = await Promise.all(files.map((file) => loadScenario(basename(file, '.yaml'))))
  return scenarios.map(({ name, description }) => ({ name, description }))
}

/** A shipped scenario by its name, or any other by the path of its file. */
export async function loadScenario(nameOrPath: string): Promise<Scenario> {
  const isPath = /[/\\.]/.test(nameOrPath)
  const path = isPath ? nameOrPath : join(shippedFolder, `${nameOrPath}.yaml`)
  return parseScenario(await read(path, nameOrPath, isPath), path)
}

/** Reads a scenario's YAML text; `file` is only for the messages. */
export function parseScenario(text: string, file: string): Scenario {
  const { doc, data, problems } = parseYamlDocument({ path: file, text })
  const result = scenarioSchema.safeParse(data)
  if (problems.length === 0 && result.success) return result.data
  const found =
    doc === null || result.success ? [] : schemaProblems(doc, { schema: scenarioSchema, data }, result.error)
  throw new MonitorError('config.invalid', renderProblems([...problems, ...withoutEchoes(problems, found)]))
}

/** One fault given by hand, as a timeline entry would give it. */
export function parseFault(entry: unknown): PlannedFault {
  const result = timelineEntry.safeParse(entry)
  if (result.success) return result.data
  throw new MonitorError('config.invalid', `fault: ${z.prettifyError(result.error)}`)
}

/** JSON Schema of a scenario file, for editors. */
export function scenarioJsonSchema(): Record<string, unknown> {
  return {
    title: 'spanwatch scenario',
    ...z.toJSONSchema(scenarioSchema, { io: 'input', unrepresentable: 'any' }),
  }
}

async function read(path: string, asked: string, isPath: boolean): Promise<string> {
  try {
    return readPlainText(path)
  } catch (error) {
    const names = isPath ? [] : (await readdir(shippedFolder)).map((file) => basename(file, '.yaml'))
    const known = isPath ? errorText(error) : `known scenarios: ${names.join(', ')}`
    throw new MonitorError('config.invalid', `no scenario '${asked}'; ${known}`, { cause: error })
  }
}

function describeUnknownFault(entry: unknown): string {
  const name = typeof entry === 'object' && entry !== null && 'fault' in entry ? entry.fault : undefined
  if (typeof name !== 'string') return 'expected the name of a fault'
  return `unknown fault \`${name.slice(0, 60)}\`${suggest(name, faultNames) || `; known: ${faultNames.join(', ')}`}`
}
