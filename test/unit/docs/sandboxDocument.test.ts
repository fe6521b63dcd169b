import { expect, test } from 'vitest'
import { z } from 'zod'
import { answersSchema } from '../../../src/sandbox/answers.ts'
import { transferShape } from '../../../src/sandbox/faults/putIn.ts'
import { listScenarios, parseScenario, faultTable } from '../../../src/sandbox/scenario.ts'
import { trafficSchema } from '../../../src/sandbox/settings.ts'
import { listBlocks, listCodes, readDoc, readTable } from './markdown.ts'

const document = readDoc('docs/sandbox.md')
const code = (cell = '') => listCodes(cell)[0]
const plain = (text: string) => text.trim().replaceAll('|', '\\|')

/** What says when, and to which answers: told once for all faults. */
const common = ['at', 'for', 'fault', 'endpoints', 'share']

const ofTransfer = Object.keys(transferShape)

test('docs/sandbox.md has every fault once, with its words and its parameters', () => {
  const declared = faultTable.map(({ name, summary, schema }) => {
    const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    const own = Object.keys(properties).filter((parameter) => !common.includes(parameter))
    return [name, 'share' in properties ? 'answers' : 'world', plain(summary), own.sort()]
  })
  const written = readTable(document, 'fault').map(([name, of, summary, parameters = '']) => [
    code(name),
    of,
    summary,
    [...(parameters.startsWith('those of a transfer') ? ofTransfer : []), ...listCodes(parameters)].sort(),
  ])
  expect(written).toEqual(declared)
})

test('docs/sandbox.md has every scenario, with what happens in it', async () => {
  const declared = (await listScenarios()).map(({ name, description }) => [name, plain(description)])
  expect(readTable(document, 'scenario').map(([name, text]) => [code(name), text])).toEqual(declared)
})

test('docs/sandbox.md has every setting of the wording, with its values', () => {
  const shape: Record<string, z.ZodType> = answersSchema.shape
  const written = readTable(document, 'setting').map(([name, values = '']) => [code(name), listCodes(values)])
  expect(written.map(([name]) => name)).toEqual(Object.keys(shape))
  for (const [name, values] of written as [string, string[]][]) {
    const { enum: known, default: usual } = z.toJSONSchema(shape[name] as z.ZodType, { io: 'input' })
    if (!known) continue
    expect(values.toSorted()).toEqual(known.map(String).toSorted())
    expect(values[0]).toBe(usual)
  }
})

test('docs/sandbox.md names every setting of the traffic, and its example is one', () => {
  for (const name of [...Object.keys(trafficSchema.shape), ...ofTransfer])
    expect(document).toContain(`\`${name}\``)
  const [example] = listBlocks(document).filter(({ language }) => language === 'yaml')
  expect(parseScenario(example?.text ?? '', 'docs/sandbox.md').timeline).toHaveLength(2)
})
