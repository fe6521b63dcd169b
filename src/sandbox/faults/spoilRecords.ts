import { isObject } from '../../lib/isObject.ts'
import { mixUnit } from '../random.ts'

export interface SpoilParams {
  readonly how: 'number' | 'missing' | 'null' | 'nonsense' | 'extra'
  readonly field: string
  readonly records: number
}

/** Breaks one field of some records, wherever the answer's shape keeps them; the others stay as they are. */
export function spoilRecords(data: unknown[], params: SpoilParams, draw: number): unknown[] {
  return data.map((item, place) => {
    if (!isObject(item)) return item
    const spoiled = Object.entries(item).flatMap(([name, list]) =>
      Array.isArray(list) && list.some(isObject)
        ? [[name, list.map((record, at) => (isObject(record) ? spoil(record, params, draw, at) : record))]]
        : [],
    )
    if (spoiled.length === 0) return spoil(item, params, draw, place)
    return { ...item, ...Object.fromEntries(spoiled) }
  })
}

function spoil(record: Record<string, unknown>, params: SpoilParams, draw: number, place: number) {
  // At least the first one, or a small answer would stay whole.
  if (place > 0 && mixUnit(Math.floor(draw * 1e9), place) >= params.records) return record
  const { [params.field]: value, ...others } = record
  switch (params.how) {
    case 'number':
      return { ...record, [params.field]: Number(value) }
    case 'missing':
      return others
    case 'null':
      return { ...record, [params.field]: null }
    case 'nonsense':
      return { ...record, [params.field]: '0x?not-a-value' }
    case 'extra':
      return { ...record, unannounced: 'yes', [`${params.field}V2`]: value }
    default:
      return params.how satisfies never
  }
}
