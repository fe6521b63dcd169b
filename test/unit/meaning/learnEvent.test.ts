import { fc, timesOf } from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import type { BridgeLog, EventContent, EventSample } from '../../../src/bridge/bridgeLog.ts'
import { findOtherRecipient } from '../../../src/meaning/judgeEvents.ts'
import { capParties, type EventTemplate, isOutdated, learnEvent } from '../../../src/meaning/learnEvent.ts'
import { readEvent } from '../../../src/meaning/readEvent.ts'

type Field = keyof EventContent
/** One word of an event: where it stands and what it holds. */
interface Slot {
  readonly holds: Field | 'noise' | 'memo' | 'constant'
  readonly indexed: boolean
  readonly packed: 'left' | 'right'
}

const hexOf = (random: number[], bytes: number, at = 0) =>
  Array.from({ length: bytes }, (_, index) =>
    (random[(at + index) % 97] ?? 0).toString(16).padStart(2, '0'),
  ).join('')

/** A transfer's parts, from bytes drawn by lot. */
function toContent(bytes: number[], amount: bigint): EventContent {
  return {
    token: `0x${hexOf(bytes, 20, 0)}`,
    recipient: `0x${hexOf(bytes, 20, 20)}`,
    sender: `0x${hexOf(bytes, 20, 40)}`,
    amount: amount.toString(),
    tokenId: '',
    zoneHash: `0x${hexOf(bytes, 32, 60)}`,
  }
}

const pad = (hex: string, packed: 'left' | 'right') =>
  packed === 'left' ? hex.padStart(64, '0') : hex.padEnd(64, '0')

/** An event as the ABI lays it out, with the parts where the layout has them. */
function encode(
  layout: readonly Slot[],
  content: EventContent,
  noise: number[],
  memo: string,
): Pick<BridgeLog, 'topics' | 'data'> {
  const word = (slot: Slot, index: number) => {
    if (slot.holds === 'noise') return hexOf(noise, 32, index * 7)
    if (slot.holds === 'constant') return pad('2a', 'left')
    if (slot.holds === 'amount') return BigInt(content.amount).toString(16).padStart(64, '0')
    if (slot.holds === 'memo') return ''
    return pad(content[slot.holds].slice(2), content[slot.holds].length === 66 ? 'left' : slot.packed)
  }
  const indexed = layout.filter((slot) => slot.indexed && slot.holds !== 'memo').slice(0, 3)
  const rest = layout.filter((slot) => !indexed.includes(slot))
  let head = ''
  let tail = ''
  for (const [index, slot] of rest.entries()) {
    if (slot.holds !== 'memo') head += word(slot, index)
    else {
      head += (rest.length * 32 + tail.length / 2).toString(16).padStart(64, '0')
      tail +=
        (memo.length / 2).toString(16).padStart(64, '0') + memo.padEnd(Math.ceil(memo.length / 64) * 64, '0')
    }
  }
  return {
    topics: [`0x${'ab'.repeat(32)}`, ...indexed.map((slot, index) => `0x${word(slot, index)}`)],
    data: `0x${head}${tail}`,
  }
}

const bytes = fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 97, maxLength: 97 })
const drawn = fc.record({
  bytes,
  noise: bytes,
  amount: fc.bigInt({ min: 1n, max: 2n ** 120n }),
  memo: fc.integer({ min: 0, max: 90 }),
})
const layouts = fc
  .uniqueArray(
    fc.constantFrom<Field | 'noise' | 'memo' | 'constant'>(
      'token',
      'recipient',
      'sender',
      'amount',
      'zoneHash',
      'noise',
      'memo',
      'constant',
    ),
    { minLength: 2, maxLength: 8 },
  )
  .chain((fields) =>
    fc.tuple(
      ...fields.map((holds) =>
        fc.record({
          holds: fc.constant(holds),
          indexed: fc.boolean(),
          packed: fc.constantFrom('left' as const, 'right' as const),
        }),
      ),
    ),
  )

const toSample = (
  layout: readonly Slot[],
  index: number,
  one: { bytes: number[]; noise: number[]; amount: bigint; memo: number },
): EventSample => {
  const content = toContent(one.bytes, one.amount)
  return {
    hash: `0x${index}`,
    direction: 'ZoneToMain',
    content,
    ...encode(layout, content, one.noise, 'cd'.repeat(one.memo)),
  }
}

describe('learning an event', () => {
  test('whatever the layout, what it shows is read from a further event, and nothing else', () => {
    fc.assert(
      fc.property(layouts, fc.array(drawn, { minLength: 4, maxLength: 7 }), drawn, (layout, past, next) => {
        fc.pre(new Set(past.map(({ amount }) => amount)).size > 1)
        const template = learnEvent(past.map((one, index) => toSample(layout, index, one)))
        const shown = new Set(layout.map(({ holds }) => holds))
        const isEnough =
          (shown.has('amount') &&
            (['recipient', 'sender', 'token', 'zoneHash'] as const).some((field) => shown.has(field))) ||
          (shown.has('recipient') && (shown.has('token') || shown.has('zoneHash')))
        if (!isEnough) return template === null
        if (template === null) return false
        const { content, topics, data } = toSample(layout, 99, next)
        const read = readEvent(template, { topics, data })
        return (['token', 'recipient', 'sender', 'amount', 'zoneHash'] as const).every((field) =>
          shown.has(field)
            ? read[field] === content[field] || (shown.has('memo') && read[field] === '')
            : read[field] === '',
        )
      }),
      { numRuns: timesOf(300) },
    )
  })

  const layout: Slot[] = (['token', 'recipient', 'sender', 'amount'] as const).map((holds) => ({
    holds,
    indexed: holds === 'token',
    packed: 'left',
  }))
  const one = (seed: number, amount = BigInt(1_000 + seed)) => ({
    bytes: Array.from({ length: 97 }, (_, index) => ((index * 31 + seed * 57) % 255) + 1),
    noise: Array.from({ length: 97 }, () => 1),
    amount,
    memo: 0,
  })
  const samples = (count: number) =>
    Array.from({ length: count }, (_, index) => toSample(layout, index, one(index)))

  test('two transactions teach nothing, three do', () => {
    expect(learnEvent(samples(2))).toBeNull()
    expect(learnEvent(samples(3))).toMatchObject({
      direction: 'ZoneToMain',
      topics: 2,
      places: { token: ['t1:12'] },
    })
  })

  test('one amount over and over is not told from a constant', () => {
    const same = samples(4).map((_, index) => toSample(layout, index, { ...one(index), amount: 7_000n }))
    expect(learnEvent(same)?.places.amount).toEqual([])
    expect(learnEvent(samples(4))?.places.amount).not.toEqual([])
  })

  test('an event of both directions means neither', () => {
    expect(
      learnEvent([...samples(4), { ...(samples(5)[4] as EventSample), direction: 'MainToZone' }]),
    ).toBeNull()
  })

  test('a field that one transfer contradicts is not read any more', () => {
    const [first, ...rest] = samples(5) as [EventSample, ...EventSample[]]
    const lying = { ...first, content: { ...first.content, amount: '5' } }
    expect(learnEvent([lying, ...rest])?.places).toMatchObject({ amount: [] })
  })

  test('semantics.md 48: of twenty parties one may contradict, and no two', () => {
    const lying = (count: number) =>
      samples(20).map((sample, index) =>
        index < count ? { ...sample, content: { ...sample.content, amount: '5' } } : sample,
      )
    expect(learnEvent(lying(1))?.places.amount).not.toEqual([])
    expect(learnEvent(lying(2))?.places).toMatchObject({ amount: [] })
  })

  test('semantics.md 48: of one party the newest five samples count', () => {
    const ofOne = samples(12).map((sample) => ({
      ...sample,
      content: { ...sample.content, recipient: `0x${'11'.repeat(20)}` },
    }))
    expect(capParties([...ofOne, ...samples(1)]).map(({ hash }) => hash)).toEqual([
      '0x7',
      '0x8',
      '0x9',
      '0x10',
      '0x11',
      '0x0',
    ])
  })

  test('semantics.md 48: it means something else once the newest five, each of another party, say so', () => {
    const template = learnEvent(samples(20)) as EventTemplate
    const other = (index: number, party = index): EventSample => {
      const { content, ...rest } = toSample(layout, index, one(index))
      const { recipient } = toContent(one(party).bytes, 1n)
      return { ...rest, content: { ...content, recipient, amount: '5' } }
    }
    const others = (count: number) => Array.from({ length: count }, (_, index) => other(30 + index))
    expect(isOutdated([...samples(20), ...others(4)], template)).toBe(false)
    expect(isOutdated([...samples(20), ...others(5)], template)).toBe(true)
    expect(isOutdated([...others(4), ...samples(1), ...others(4)], template)).toBe(false)
    expect(
      isOutdated(
        others(9).map((_, index) => other(30 + index, index % 4)),
        template,
      ),
    ).toBe(false)
  })

  test('semantics.md 48: whom a deposit is for is said by its event once twenty others had it right', () => {
    const toDeposit = (sample: EventSample): EventSample => ({ ...sample, direction: 'MainToZone' })
    const right = samples(20).map(toDeposit)
    const template = learnEvent(right) as EventTemplate
    const own = toDeposit(toSample(layout, 40, one(40)))
    const credited = { ...own, content: { ...own.content, recipient: `0x${'99'.repeat(20)}` } }
    expect(findOtherRecipient(credited, template, right)).toEqual({
      recipient: own.content.recipient,
      isFew: false,
    })
    expect(findOtherRecipient(credited, template, right.slice(1))).toBeNull()
    expect(findOtherRecipient(own, template, right)).toBeNull()
  })

  test('an event that named who deposits for himself may name who pays: few deposits for others tell which', () => {
    const bare: readonly Slot[] = [
      { holds: 'recipient', indexed: true, packed: 'left' },
      { holds: 'amount', indexed: false, packed: 'left' },
    ]
    const ofIndex = (index: number, isFor: 'self' | 'other'): EventSample => {
      const sample = toSample(bare, index, one(index))
      const { recipient, sender } = sample.content
      const content = {
        ...sample.content,
        sender: recipient,
        recipient: isFor === 'self' ? recipient : sender,
      }
      return { ...sample, direction: 'MainToZone', content }
    }
    const own = Array.from({ length: 20 }, (_, index) => ofIndex(index, 'self'))
    const template = learnEvent(own) as EventTemplate
    const toOther = ofIndex(40, 'other')
    const { sender } = toOther.content
    const found = (others: readonly EventSample[]) =>
      findOtherRecipient(toOther, template, [...own, ...others])
    expect(found([])).toEqual({ recipient: sender, isFew: true })
    expect(found([ofIndex(30, 'other'), ofIndex(31, 'other')])).toEqual({ recipient: sender, isFew: true })
    expect(found([30, 31, 32].map((index) => ofIndex(index, 'other')))).toBeNull()
  })

  test('what an event names that was sender and recipient alike is outdated by none of which it names one of both', () => {
    const of: readonly Slot[] = [
      { holds: 'recipient', indexed: true, packed: 'left' },
      { holds: 'amount', indexed: false, packed: 'left' },
    ]
    const ofIndex = (index: number) => toSample(of, index, one(index))
    const alike = Array.from({ length: 20 }, (_, index) => {
      const sample = ofIndex(index)
      return { ...sample, content: { ...sample.content, sender: sample.content.recipient } }
    })
    const template = learnEvent(alike) as EventTemplate
    expect(template.places.sender).toEqual(template.places.recipient)
    const toOthers = Array.from({ length: 5 }, (_, index) => ofIndex(30 + index))
    expect(isOutdated([...alike, ...toOthers], template)).toBe(false)
    const ofNeither = toOthers.map((sample) => ({
      ...sample,
      content: { ...sample.content, recipient: `0x${hexOf(one(Number(sample.hash)).bytes, 20, 60)}` },
    }))
    expect(isOutdated([...alike, ...ofNeither], template)).toBe(true)
  })

  test('sender and recipient that were always the same stay unknown where an event names two', () => {
    const alike = samples(3).map((sample, index) => {
      const content = { ...sample.content, sender: sample.content.recipient }
      return { ...sample, content, ...encode(layout, content, one(index).noise, '') }
    })
    const template = learnEvent(alike)
    const next = toSample(layout, 9, one(9))
    expect(template && readEvent(template, next)).toMatchObject({
      recipient: '',
      sender: '',
      amount: next.content.amount,
    })
  })
})
