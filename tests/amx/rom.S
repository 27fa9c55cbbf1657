# Instead of a BIOS: brings a processor from its reset into 64 bit mode, with AVX-512 and AMX allowed, and calls
# run_products() of products.cpp. There is no system that could refuse the tiles' state.

.set page_tables, 0x1000     # 3 pages
.set stack_end, 0x10000000
.set thread_pointer, 0x11000000 # of variables of a thread, zeros
.set shutdown_port, 0x8900   # of Bochs

.code16
.section .start, "ax"
start:
  cli
  cld
  xor %ax, %ax
  mov %ax, %ds
  mov %ax, %es
  in $0x92, %al              # addresses have more than 20 bits
  or $2, %al
  out %al, $0x92

  mov $page_tables, %edi     # the first GiB, in pages of 2 MiB
  xor %eax, %eax
  mov $3 * 4096 / 4, %ecx
  rep stosl
  movl $page_tables + 0x1003, page_tables
  movl $page_tables + 0x2003, page_tables + 0x1000
  mov $page_tables + 0x2000, %di
  mov $0x83, %eax
  mov $512, %cx
next_page:
  mov %eax, (%di)
  add $8, %di
  add $0x200000, %eax
  loop next_page

  mov $0xf000, %ax
  mov %ax, %ds
  lgdtl segments_pointer - 0xf0000
  mov $0x40620, %eax         # CR4: PAE, OSFXSR, OSXMMEXCPT, OSXSAVE
  mov %eax, %cr4
  mov $page_tables, %eax
  mov %eax, %cr3
  mov $0xc0000080, %ecx      # EFER: SCE, LME
  mov $0x101, %eax
  xor %edx, %edx
  wrmsr
  mov $0x80000033, %eax      # CR0: PG, NE, ET, MP, PE
  mov %eax, %cr0
  ljmpl $8, $in_64_bits

.code64
in_64_bits:
  mov $16, %ax
  mov %ax, %ds
  mov %ax, %es
  mov %ax, %ss
  mov $stack_end, %rsp
  xor %ecx, %ecx             # XCR0: x87, SSE, AVX, AVX-512, tiles
  mov $0x600e7, %eax
  xor %edx, %edx
  xsetbv
  mov $0xc0000081, %ecx      # STAR: segments after SYSCALL
  xor %eax, %eax
  mov $8, %edx
  wrmsr
  mov $0xc0000082, %ecx      # LSTAR
  mov $permit, %eax
  xor %edx, %edx
  wrmsr
  mov $0xc0000100, %ecx      # FS base
  mov $thread_pointer, %eax
  wrmsr
  call run_products
  mov $shutdown_port, %dx
  mov $shutdown, %rsi
  mov $8, %ecx
  rep outsb
wait:
  hlt
  jmp wait

permit:                      # any system call: granted
  xor %eax, %eax
  jmp *%rcx

shutdown: .ascii "Shutdown"
.balign 8
segments: .quad 0, 0x00af9a000000ffff, 0x00cf92000000ffff
segments_pointer:
  .word . - segments - 1
  .long segments

.section .reset, "ax"
.code16
  ljmp $0xf000, $start - 0xf0000
  .fill 11, 1, 0xff
