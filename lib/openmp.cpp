// Idle OpenMP threads keep their processors busy for a while. They slow down the pool's threads, but not
// blocks that they run themselves. The runtimes of GCC, LLVM and Intel all have the functions of GCC's.
#include "openmp.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <type_traits>

#ifdef __linux__
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace cuda_tile_launcher {

#ifdef __linux__

namespace {

struct Runtime {
  void (*parallel)(void (*)(void*), void*, unsigned, unsigned) = nullptr;
  int (*in_parallel)() = nullptr;
  int (*max_threads)() = nullptr;
  int (*num_threads)() = nullptr;
  int (*thread_num)() = nullptr;
  int (*pause)(int kind) = nullptr;
  // Since OpenMP 4.5; null in older ones.
  int (*proc_bind)() = nullptr;
  int (*num_places)() = nullptr;
  int (*place_num_procs)(int place) = nullptr;
  void (*place_proc_ids)(int place, int* ids) = nullptr;

  bool load(const char* path) {
    void* const library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
      return false;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    if (!(find(proc_bind, "omp_get_proc_bind") && find(place_num_procs, "omp_get_place_num_procs") &&
          find(place_proc_ids, "omp_get_place_proc_ids") && find(num_places, "omp_get_num_places")))
      num_places = nullptr;
    // The handle is kept, so the library stays.
    return find(parallel, "GOMP_parallel") && find(in_parallel, "omp_in_parallel") &&
           find(max_threads, "omp_get_max_threads") && find(num_threads, "omp_get_num_threads") &&
           find(thread_num, "omp_get_thread_num") && find(pause, "omp_pause_resource_all");
  }
};

// All this belongs to the main thread: no other launches on the runtime's threads.
Runtime runtime;
bool is_loaded = false;
bool is_used = false; // since its threads were last released
unsigned long long libraries_seen = 0;

/// Whether this process is a fork that runs the program of its parent: the runtime may wait for threads of
/// the parent there. Linux has a flag for this.
bool is_forked() {
  constexpr unsigned forked_without_exec = 0x40; // PF_FORKNOEXEC
  char text[512] = {};
  const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  const auto length = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0)
    close(file);
  const char* const end = length > 0 ? std::strrchr(text, ')') : nullptr; // of the name
  unsigned flags = 0;
  return !end || std::sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) != 1 || flags == 0 ||
         (flags & forked_without_exec) != 0;
}

std::atomic<bool> is_child{is_forked()};

bool is_main_thread() { return syscall(SYS_gettid) == getpid(); }

/// Whether a library is an OpenMP runtime. In wheels names may have a hash: libgomp-24e2ab19.so.1.0.0
bool is_runtime(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view known : {"libgomp", "libiomp5", "libomp"})
    if (name.starts_with(known) && name.size() > known.size() &&
        (name[known.size()] == '.' || name[known.size()] == '-'))
      return true;
  return false;
}

int count_libraries(dl_phdr_info* info, std::size_t, void* count) {
  *static_cast<unsigned long long*>(count) = info->dlpi_adds;
  return 1;
}

int find_runtime(dl_phdr_info* info, std::size_t, void* found) {
  if (!info->dlpi_name || !is_runtime(info->dlpi_name))
    return 0;
  auto& path = *static_cast<const char**>(found);
  path = info->dlpi_name;
  return std::strstr(path, "/torch/") != nullptr; // of several, PyTorch's
}

/// Looks for a runtime again whenever libraries have been loaded.
bool has_runtime() {
  if (is_loaded)
    return true;
  unsigned long long libraries = 0;
  dl_iterate_phdr(count_libraries, &libraries);
  if (libraries == libraries_seen)
    return false;
  libraries_seen = libraries;
  const char* path = nullptr;
  dl_iterate_phdr(find_runtime, &path);
  return is_loaded = path && runtime.load(path);
}

bool is_wanted() {
  static const bool wanted = [] {
    const char* const value = std::getenv("PYCUDA_TILE_OPENMP");
    return !value || std::strcmp(value, "0") != 0;
  }();
  return wanted;
}

struct Team {
  unsigned count;
  void (*work)(void*, bool) noexcept;
  void* data;
  bool has_run = false; // written by the first thread
};

void enter(void* argument) {
  auto& team = *static_cast<Team*>(argument);
  if (static_cast<unsigned>(runtime.num_threads()) != team.count)
    return; // fewer than asked for
  const bool is_first = runtime.thread_num() == 0;
  if (is_first)
    team.has_run = true;
  team.work(team.data, is_first);
}

} // namespace

bool run_on_openmp_threads(unsigned count, void (*work)(void*, bool) noexcept, void* data) noexcept {
  if (!is_wanted() || is_child || !is_main_thread() || !has_runtime() || runtime.in_parallel())
    return false;
  // With another number, the runtime would end threads and start them again each time.
  if (static_cast<unsigned>(runtime.max_threads()) != count)
    return false;
  is_used = true;
  Team team{count, work, data};
  runtime.parallel(enter, &team, count, 0);
  return team.has_run;
}

void release_openmp_threads() noexcept {
  constexpr int soft = 1;
  if (is_main_thread() && is_used && runtime.pause(soft) == 0)
    is_used = false;
}

void forget_openmp() noexcept { is_child = true; }

bool find_cores_of_openmp(cpu_set_t& cores) noexcept {
  if (!is_main_thread() || !has_runtime() || !runtime.num_places || runtime.proc_bind() == 0)
    return false;
  CPU_ZERO(&cores);
  for (int place = 0; place < runtime.num_places(); ++place) {
    int ids[CPU_SETSIZE];
    const int count = runtime.place_num_procs(place);
    if (count > CPU_SETSIZE)
      return false;
    runtime.place_proc_ids(place, ids);
    for (int i = 0; i < count; ++i)
      if (ids[i] >= 0 && ids[i] < CPU_SETSIZE)
        CPU_SET(ids[i], &cores);
  }
  return CPU_COUNT(&cores) != 0;
}

#else

bool run_on_openmp_threads(unsigned, void (*)(void*, bool) noexcept, void*) noexcept { return false; }
void release_openmp_threads() noexcept {}
void forget_openmp() noexcept {}

#endif

} // namespace cuda_tile_launcher
