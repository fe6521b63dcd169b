/** Base units as token units, exact, without trailing zeros: `toUnits(1_500_000n, 6)` is `1.5`. */
export function toUnits(raw: bigint, decimals: number): string {
  if (decimals === 0) return raw.toString()
  const digits = raw.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, -decimals)
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Token units as base units: `toRaw('1.5', 6)` is `1_500_000n`. Digits beyond the token's decimals are dropped. */
export function toRaw(units: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = units.split('.')
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
}
