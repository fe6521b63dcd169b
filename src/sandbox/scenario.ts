import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { errorText, MonitorError } from '../lib/errors.ts'
import type { PlannedFault } from './faults/fault.ts'
import { faultTable } from './faults/faultTable.ts'
import { historySchema, trafficSchema } from './settings.ts'

const byName = new Map(faultTable.map((row) => [row.name, row.schema]))
const timelineEntry = z.unknown().transform((entry, context): PlannedFault => {
  const name = typeof entry === 'object' && entry !== null && 'fault' in entry ? String(entry.fault) : ''
  const schema = byName.get(name)
  const result = schema?.safeParse(entry)
  if (result?.success) return result.data
  if (result)
    for (const issue of result.error.issues)
      context.addIssue({ ...issue, code: 'custom', message: issue.message })
  else
    context.addIssue({ code: 'custom', path: ['fault'], message: `unknown fault '${name}'${nearest(name)}` })
  return z.NEVER
})

const fields = {
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'expected lower-case letters, digits and hyphens'),
  description: z.string().default(''),
  seed: z.union([z.int(), z.string()]).default(1),
  traffic: trafficSchema.prefault({}),
  history: historySchema.prefault({}),
}
const scenarioSchema = z.strictObject({ ...fields, timeline: z.array(timelineEntry).default([]) })

/** What happens in a sandbox: its traffic, its history and a timeline of faults. */
export type Scenario = z.output<typeof scenarioSchema>

const shippedFolder = join(import.meta.dirname, 'scenarios')

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
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true })
  const [broken] = document.errors
  if (broken)
    throw invalid(
      file,
      lines.linePos(broken.pos[0]),
      (broken.message.split('\n')[0] ?? '').replace(/ at line.*/, ''),
    )
  const result = scenarioSchema.safeParse(toPlain(document, file))
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const path = (issue?.path ?? []).map((part) => (typeof part === 'symbol' ? String(part) : part))
  const where = issue?.path.length === 0 ? '' : `${path.join('.')}: `
  throw invalid(
    file,
    lines.linePos(offsetOf(document, path)),
    `${where}${issue?.message ?? 'not a scenario'}`,
  )
}

/** One fault given by hand, as a timeline entry would give it. */
export function parseFault(entry: unknown): PlannedFault {
  const result = timelineEntry.safeParse(entry)
  if (result.success) return result.data
  throw new MonitorError('config.invalid', `fault: ${z.prettifyError(result.error)}`)
}

/** JSON Schema of a scenario file, for editors. */
export function scenarioJsonSchema(): Record<string, unknown> {
  const faults = z.union(faultTable.map((row) => row.schema))
  const schema = z.strictObject({ ...fields, timeline: z.array(faults).default([]) })
  return { title: 'spanwatch scenario', ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) }
}

/** Plain values; aliases that multiply without end are refused. */
function toPlain(document: ReturnType<typeof parseDocument>, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    throw invalid(file, { line: 1, col: 1 }, errorText(error))
  }
}

async function read(path: string, asked: string, isPath: boolean): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const names = isPath ? [] : (await readdir(shippedFolder)).map((file) => basename(file, '.yaml'))
    const known = isPath ? errorText(error) : `known scenarios: ${names.join(', ')}`
    throw new MonitorError('config.invalid', `no scenario '${asked}'; ${known}`, { cause: error })
  }
}

/** Where the node at a path begins; of a missing one, where the nearest node around it begins. */
function offsetOf(document: ReturnType<typeof parseDocument>, path: readonly (string | number)[]): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true)
    if (typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)) {
      return Number(node.range[0])
    }
  }
  return 0
}

function invalid(file: string, at: { line: number; col: number }, message: string): MonitorError {
  return new MonitorError('config.invalid', `${file}:${at.line}:${at.col}: ${message}`)
}

function nearest(name: string): string {
  const known = faultTable.map((row) => row.name)
  const alike = known.filter((candidate) =>
    candidate.split('.').some((part) => part !== '' && name.includes(part)),
  )
  return `; known: ${(alike.length > 0 ? alike : known).join(', ')}`
}
