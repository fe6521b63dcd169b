import { describe, expect, test } from 'vitest'
import { neutralDialect } from '../../../../src/clients/explorer/dialect.ts'
import { crossDetails, crossTransactions } from '../../../../src/clients/explorer/endpoints/crossRecords.ts'

const moment = { requestedAt: 7, latest: 2e12, rows: [] }
const read = (raw: Record<string, unknown>) => crossDetails.createReader(neutralDialect)(raw, moment)
const hash = `0x${'AB'.repeat(32)}`
const minimal = { txType: 'MainToZone', mainTxHash: hash }

/** All that a record has to say, but for what may be left out. */
const whole = {
  ...minimal,
  crossType: 'Deposit',
  status: '0x1',
  mainBlockHeight: '5',
  mainBlockTime: '1700000000000',
  zoneTxHash: `0x${'cd'.repeat(32)}`,
  zoneBlockHeight: '6',
  zoneBlockTime: '1700000000000',
  ...Object.fromEntries(['from', 'to', 'sourceAddress', 'targetAddress'].map((key) => [key, ''])),
  ...Object.fromEntries(
    ['value', 'valueRaw', 'tokenContractAddress', 'tokenType', 'tokenName'].map((key) => [key, '']),
  ),
  ...Object.fromEntries(['zoneEventIndex', 'batchDetail', 'updateTime'].map((key) => [key, ''])),
}

function problemOf(raw: Record<string, unknown>): string | null {
  const result = read(raw)
  return 'problem' in result ? result.problem : null
}

function recordOf(raw: Record<string, unknown>) {
  const result = read(raw)
  if ('problem' in result) throw new Error(result.problem)
  return result.record
}

describe('a record is quarantined', () => {
  test.each([
    [{ txType: 'MainToZone' }, 'record: expected an id or a transaction hash, got none'],
    [{ ...minimal, mainTxHash: '' }, 'record: expected an id or a transaction hash, got none'],
    [
      { ...minimal, mainTxHash: `0x${'0'.repeat(64)}` },
      'record: expected an id or a transaction hash, got none',
    ],
    [{ ...minimal, mainTxHash: 12 }, 'record: expected an id or a transaction hash, got none'],
    [{ ...minimal, txType: 12 }, 'txType: expected MainToZone or ZoneToMain, got number 12'],
    [{ ...minimal, txType: 'Sideways' }, 'txType: expected MainToZone or ZoneToMain, got "Sideways"'],
    [{ ...minimal, txType: '' }, 'txType: expected MainToZone or ZoneToMain, got nothing'],
    [{ mainTxHash: hash }, 'txType: is missing'],
    [
      { ...minimal, txType: 'AcmeToAZ' },
      'txType: expected MainToZone or ZoneToMain, got "AcmeToAZ": set explorer.dialect.direction.main: Acme and explorer.dialect.direction.zone: AZ',
    ],
  ])('%j', (raw, expected) => {
    expect(problemOf(raw)).toMatch(expected)
  })
})

describe('semantics.md 38: a record is taken without what nobody understands, and does not say it', () => {
  test.each([
    [{ id: true }, 'id', { id: null }, 'expected a string, got boolean true'],
    [{ zoneTxHash: 12 }, 'zoneHash', { zoneHash: null }, 'expected a hash of 64 digits, got number 12'],
    [{ status: true }, 'status', { status: 'unknown' }, 'expected 0x1 or 0x0, got boolean true'],
    [{ valueRaw: 12 }, 'amountRaw', { amountRaw: null }, 'expected a decimal uint256, got number 12'],
    [{ valueRaw: '0x12' }, 'amountRaw', { amountRaw: null }, 'expected a decimal uint256, got "0x12"'],
    [{ valueRaw: (1n << 256n).toString() }, 'amountRaw', { amountRaw: null }, /^expected a decimal uint256/],
    [{ valueRaw: '-1' }, 'amountRaw', { amountRaw: null }, 'expected a decimal uint256, got "-1"'],
    [{ value: '1e99' }, 'value', { value: null }, 'expected a plain decimal number, got "1e99"'],
    [{ value: '-1e5' }, 'value', { value: null }, 'expected a plain decimal number, got "-1e5"'],
    [{ valueRaw: '1e5' }, 'amountRaw', { amountRaw: null }, 'expected a decimal uint256, got "1e5"'],
    [{ value: 'NaN' }, 'value', { value: null }, 'expected a plain decimal number, got "NaN"'],
    [{ value: '-1' }, 'value', { value: null }, 'expected a plain decimal number, got "-1"'],
    [{ value: 1.5 }, 'value', { value: null }, 'expected a plain decimal number, got number 1.5'],
    [
      { mainBlockHeight: 5.5 },
      'mainBlockHeight',
      { mainHeight: null },
      'expected decimal digits, got number 5.5',
    ],
    [
      { mainBlockHeight: 2 ** 53 },
      'mainBlockHeight',
      { mainHeight: null },
      'expected decimal digits, got number 9007199254740992',
    ],
    [
      { mainBlockHeight: '9007199254740992' },
      'mainBlockHeight',
      { mainHeight: null },
      /^expected decimal digits/,
    ],
    [{ tokenId: {} }, 'tokenId', { tokenId: '' }, 'expected a decimal or hex uint256, got an object'],
    [{ tokenId: '-5' }, 'tokenId', { tokenId: '' }, 'expected a decimal or hex uint256, got "-5"'],
    [{ tokenId: 'NaN' }, 'tokenId', { tokenId: '' }, 'expected a decimal or hex uint256, got "NaN"'],
    [{ tokenId: `0x1${'0'.repeat(64)}` }, 'tokenId', { tokenId: '' }, /^expected a decimal or hex uint256/],
    [{ batchDetail: [] }, 'batchDetail', { batchDetail: null }, 'expected a string, got an array'],
  ])('%j', (wrong, unsaid, expected, problem) => {
    const result = read({ ...whole, ...wrong })
    expect(result).toMatchObject({ record: { ...expected, unsaid, direction: 'MainToZone' } })
    const [key = ''] = Object.keys(wrong)
    expect(result.flaws).toEqual([
      { field: key, key, use: 'judged', problem: expect.stringMatching(problem) as string },
    ])
  })
})

test('heights, times, indexes and ids are taken as whole numbers too: not all of them come as strings', () => {
  const numbers = { id: 12, mainBlockHeight: 5, mainBlockTime: moment.latest, zoneEventIndex: 0, tokenId: 7 }
  const result = read({ ...whole, ...numbers })
  expect(result.flaws).toEqual([])
  expect(result).toMatchObject({
    record: { id: '12', mainHeight: 5, mainTime: moment.latest, zoneEventIndex: '0', tokenId: '7' },
  })
})

test('an amount in token units may have an exponent', () => {
  expect(recordOf({ ...whole, value: '1.5E-7' }).value).toBe('0.00000015')
})

test('what a transfer in flight shows of the chain that it has not reached is nothing, be it empty or zero', () => {
  for (const nothing of ['', '0', 0, null]) {
    const open = { zoneTxHash: '', zoneBlockHeight: nothing, zoneBlockTime: nothing, zoneEventIndex: '' }
    const result = read({ ...whole, ...open })
    expect(result.flaws).toEqual([])
    expect(result).toMatchObject({ record: { zoneHash: null, zoneHeight: null, zoneTime: null } })
  }
})

describe('semantics.md 39: a time out of bounds is none', () => {
  const earliest = Date.UTC(2015, 0, 1)
  const mainTime = (time: number) => recordOf({ ...minimal, mainBlockTime: String(time) }).mainTime
  test.each([earliest, moment.latest])('%i is one', (time) => {
    expect(mainTime(time)).toBe(time)
  })
  test.each([0, earliest - 1, moment.latest + 1])('%i is none', (time) => {
    expect(mainTime(time)).toBeNull()
  })
})

describe('an id that records of one answer share', () => {
  const leg = (pair: string) => `0x${pair.repeat(32)}`
  const row = (id: string | number, zone: string, main: string) => ({
    ...whole,
    id,
    zoneTxHash: zone,
    mainTxHash: main,
  })
  const readAll = (...rows: object[]) => {
    const reader = crossDetails.createReader(neutralDialect)
    const readRows = (some: readonly object[]) => some.map((raw) => reader(raw, { ...moment, rows: some }))
    const ids = (some: readonly object[]) =>
      readRows(some).map((one) => ('record' in one ? one.record.id : one.problem))
    return {
      ids: ids(rows),
      flaws: readRows(rows).map(({ flaws }) => flaws),
      next: (raw: object) => ids([raw]),
    }
  }
  const flaw = {
    field: 'id',
    key: 'id',
    use: 'judged',
    problem: 'is that of another transfer as well: "none"',
  }

  test('names none of them where they share no transaction, and none that comes later', () => {
    const rows = [
      row('none', leg('a1'), leg('b1')),
      row('CT-7', leg('a2'), leg('b2')),
      row('none', leg('a3'), '0x0'),
    ]
    const { ids, flaws, next } = readAll(...rows)
    expect(ids).toEqual([null, 'CT-7', null])
    expect(flaws).toEqual([[flaw], [], [flaw]])
    expect(next(row('none', leg('a4'), leg('b4')))).toEqual([null])
  })

  test('names none of them where it is a number', () => {
    const { ids, flaws } = readAll(row(1, leg('a1'), leg('b1')), row(1, leg('a2'), leg('b2')))
    expect(ids).toEqual([null, null])
    expect(flaws).toEqual([
      [{ ...flaw, problem: 'is that of another transfer as well: number 1' }],
      [{ ...flaw, problem: 'is that of another transfer as well: number 1' }],
    ])
  })

  test.each(['', '0', 0, '0x0', null])('is none where it says nothing: %j', (nothing) => {
    const { ids, flaws } = readAll({ ...whole, id: nothing }, row('CT-7', leg('a2'), leg('b2')), {
      ...row('', leg('a3'), leg('b3')),
      id: nothing,
    })
    expect(ids).toEqual([null, 'CT-7', null])
    expect(flaws).toEqual([[], [], []])
  })

  test.each([
    ['two payouts of one origin', row('CT-7', leg('a1'), leg('b1')), row('CT-7', leg('a1'), leg('b2'))],
    ['two credits of one deposit', row('CT-7', leg('a1'), leg('b1')), row('CT-7', leg('a2'), leg('b1'))],
    ['the same record twice', row('CT-7', leg('a1'), ''), row('CT-7', leg('a1'), leg('b1'))],
  ])('names %s', (_, a, b) => {
    expect(readAll(a, b)).toMatchObject({ ids: ['CT-7', 'CT-7'], flaws: [[], []] })
  })
})

describe('a record is read', () => {
  test('with everything empty that may be', () => {
    expect(recordOf({ ...minimal, valueRaw: '', value: null, status: '', zoneTxHash: null })).toMatchObject({
      mainHash: hash.toLowerCase(),
      zoneHash: null,
      amountRaw: null,
      value: null,
      status: 'unknown',
      mainTime: null,
      token: '',
      batchDetail: null,
    })
  })

  test.each([
    [{ valueRaw: ((1n << 256n) - 1n).toString() }, { amountRaw: (1n << 256n) - 1n }],
    [{ value: '0.000000000000000001' }, { value: '0.000000000000000001' }],
    [
      { mainBlockHeight: '0', mainBlockTime: '0' },
      { mainHeight: null, mainTime: null },
    ],
    [{ mainBlockHeight: '9007199254740991' }, { mainHeight: Number.MAX_SAFE_INTEGER }],
    [{ id: '0xABCD' }, { id: '0xabcd' }],
    [{ id: 'CT-7' }, { id: 'CT-7' }],
    [{ id: `0x${'0'.repeat(64)}` }, { id: null }],
    [{ zoneEventIndex: '0' }, { zoneEventIndex: '0' }],
    [{ zoneEventIndex: '' }, { zoneEventIndex: null }],
    [{ tokenId: '0' }, { tokenId: '0' }],
    [{ crossType: 'Teleport' }, { crossType: 'Teleport' }],
    [{ tokenName: 'A\u0000B\u202e' }, { tokenName: 'AB' }],
    [{ tokenName: 'A'.repeat(200_000) }, { tokenName: `${'A'.repeat(63)}…` }],
    [{ batchDetail: '{'.repeat(70_000) }, { batchDetail: '{'.repeat(65_536) }],
    [{ targetAddress: `0x${'AB'.repeat(20)}` }, { targetAddress: `0x${'ab'.repeat(20)}` }],
    [{ targetAddress: '0x0' }, { targetAddress: `0x${'0'.repeat(40)}` }],
    [
      { tokenName: {}, from: ['0x1'] },
      { tokenName: '', from: '' },
    ],
  ])('%j', (raw, expected) => {
    expect(recordOf({ ...minimal, ...raw })).toMatchObject(expected)
  })

  test('and fields that the contract does not name are counted', () => {
    expect(read({ ...minimal, color: 'red', __proto__: null })).toMatchObject({ unknownFields: 1 })
  })

  test('and a list record has no details, whatever it carries', () => {
    const result = crossTransactions.createReader(neutralDialect)({ ...minimal, zoneEventIndex: '4' }, moment)
    expect(result).toMatchObject({ record: { source: 'E3', zoneEventIndex: null } })
  })
})
