/** One section of the report, the same for every form it is rendered in. */
export interface ReportTable {
  readonly title: string
  /** What the reader should know of it; '' when it speaks for itself. */
  readonly note: string
  readonly columns: readonly { readonly name: string; readonly isNumber: boolean }[]
  readonly rows: readonly (readonly string[])[]
  /** Said instead of rows when there are none. */
  readonly none: string
}
