import { expect, test } from 'vitest'
import { z } from 'zod'
import { neutralDialect } from '../../../../src/clients/explorer/dialect.ts'
import { createExcuses } from '../../../../src/clients/explorer/endpoints/openSide.ts'
import * as field from '../../../../src/clients/explorer/fields.ts'
import { createRecordReader } from '../../../../src/clients/explorer/recordReader.ts'
import { fc, timesOf } from '../../../support/fastCheck.ts'

/** Every kind of text that a record has. */
const schema = z.object({
  id: field.identifier,
  txType: field.direction(neutralDialect),
  crossType: field.name,
  status: field.status,
  mainTxHash: field.hash,
  mainBlockHeight: field.count,
  mainBlockTime: field.time,
  zoneTxHash: field.hash,
  from: field.address,
  requiredHash: field.requiredHash,
  value: field.decimal,
  valueRaw: field.rawAmount,
  tokenId: field.identifierText,
  batchDetail: field.detail,
  zoneEventIndex: field.label,
})

const keys = {
  id: 'judged?',
  txType: 'vital!',
  crossType: 'judged!',
  status: 'judged!',
  mainTxHash: 'judged',
  mainBlockHeight: 'judged',
  mainBlockTime: 'judged',
  zoneTxHash: 'judged',
  from: 'shown',
  requiredHash: 'judged?',
  value: 'judged',
  valueRaw: 'judged',
  tokenId: 'ignored?',
  batchDetail: 'none',
  zoneEventIndex: 'ignored',
} as const

const requires = {
  holds: ({ id, mainTxHash }: z.output<typeof schema>) => id !== null || mainTxHash !== null,
  message: 'expected an id or a hash',
}

const createReader = (judge: typeof schema) =>
  createRecordReader({
    schema: judge,
    requires,
    keys,
    spellings: (name) => [name],
    excuses: createExcuses(neutralDialect),
    finish: (fields, requestedAt, unsaid, leftOut) => ({
      fields: { ...fields },
      requestedAt,
      unsaid,
      leftOut,
    }),
  })

const hash = `0x${'ab'.repeat(32)}`
const plain: Readonly<Record<keyof typeof keys, string>> = {
  id: hash,
  txType: 'MainToZone',
  crossType: 'Deposit',
  status: '0x1',
  mainTxHash: hash,
  mainBlockHeight: '12',
  mainBlockTime: '1700000000000',
  zoneTxHash: hash,
  from: `0x${'cd'.repeat(20)}`,
  requiredHash: hash,
  value: '1.5',
  valueRaw: '1500000',
  tokenId: '7',
  batchDetail: '[\n]',
  zoneEventIndex: '3',
}

const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    undefined,
    null,
    0,
    12,
    true,
    [],
    {},
    '0',
    '0x',
    '0x0',
    '00',
    ' ',
    '1.',
    '1e5',
  ),
  fc.constantFrom<unknown>(`0x${'0'.repeat(64)}`, hash.toUpperCase(), `0x${'AB'.repeat(32)}`, `${hash}0`),
  fc.constantFrom<unknown>(`0x${'0'.repeat(40)}`, `0x${'CD'.repeat(20)}`, 'unknown', '0x0', 'ZoneToMain'),
  fc.constantFrom<unknown>('1', '1500000000000', '99999999999999', '9007199254740993', '1'.repeat(79)),
  fc.constantFrom<unknown>('\u200b', 'a\u202eb', ' a ', 'e\u0301', '\ud800', 'x'.repeat(70), 'é'),
  fc.string({ unit: 'binary' }),
  fc.jsonValue(),
)
const key = fc.constantFrom(...Object.keys(keys))
const change = fc.tuple(
  fc.oneof({ weight: 9, arbitrary: key }, fc.constantFrom('extra', '__proto__', 'constructor', 'aTxHash')),
  fc.oneof(
    { weight: 3, arbitrary: hostile },
    key.map((other) => Reflect.get(plain, other)),
  ),
)
const row = fc.array(change, { maxLength: 4 }).map((changes) => {
  const entries = new Map<string, unknown>([...Object.entries(plain), ...changes])
  // As an answer is: without what is undefined, and with every key its own.
  const text = [...entries]
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join()
  return JSON.parse(`{${text}}`) as Record<string, unknown>
})

test('what is read of a row of plain texts is what its schema reads', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 3 }), (rows) => {
      const moment = { requestedAt: 7, latest: 2e12, rows }
      const fast = createReader(schema)
      // A check more, and every row goes by the schema.
      const slow = createReader(schema.refine(() => true))
      expect(rows.map((one) => fast(one, moment))).toStrictEqual(rows.map((one) => slow(one, moment)))
    }),
    { numRuns: timesOf(500) },
  )
})

const readValue = (value: z.ZodType<string | null>) => {
  const moment = { requestedAt: 7, latest: 2e12, rows: [] }
  return createReader(schema.extend({ value }))(plain, moment)
}

test('a row of plain texts is read without its schema', () => {
  const bent = field.decimal.meta({ read: () => 'plainly' })
  expect(readValue(bent)).toMatchObject({ record: { fields: { value: 'plainly' } } })
})

test('a field that checks more is read by its schema', () => {
  expect(readValue(field.decimal.refine(() => false, 'never'))).toMatchObject({ problem: 'value: never' })
})
