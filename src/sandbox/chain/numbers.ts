/** Whole numbers in a flat buffer that grows at its end. */
export interface Numbers {
  values: Float64Array
  length: number
}

export function createNumbers(): Numbers {
  return { values: new Float64Array(16), length: 0 }
}

export function pushNumber(numbers: Numbers, value: number): void {
  if (numbers.length === numbers.values.length) {
    const grown = new Float64Array(Math.ceil(numbers.length * 1.5))
    grown.set(numbers.values)
    numbers.values = grown
  }
  numbers.values[numbers.length++] = value
}

export function numberAt(numbers: Numbers, place: number): number {
  return numbers.values[place] as number
}
