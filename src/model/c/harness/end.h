static struct { const volatile char *place; unsigned long size; } fp_objects[FP_OBJECTS + 1];
static int fp_now, fp_next_input[FP_THREADS + 1], fp_next_open[FP_THREADS + 1][FP_DECLARATIONS + 1];
static _Thread_local int fp_self = -1, fp_depth, fp_holding;

static void fp_lost(const char *why) {
    const char *name = fp_self < 0 ? "a thread that takes no part" : fp_names[fp_self];
    dprintf(1, "%sthe error was not reached: %s %s\n", fp_holding ? "\n" : "", name, why);
    exit(3);
}

static void fp_error(const char *what, int line) {
    dprintf(1, "%s%s:%d: the error is reached: %s\n", fp_holding ? "\n" : "", FP_FILE, line, what);
    exit(1);
}

/* Waits a little; after ten seconds without a step of anybody it says so. */
static void fp_pause(int *seen, int *pauses, const char *why) {
    int now = __atomic_load_n(&fp_now, __ATOMIC_SEQ_CST);
    if (now != *seen) { *seen = now; *pauses = 0; }
    if (++*pauses < 200) { sched_yield(); return; }
    usleep(100);
    if (*pauses > 100000) fp_lost(why);
}

static void fp_await(char kind) {
    int seen = -1, pauses = 0;
    for (;;) {
        int now = __atomic_load_n(&fp_now, __ATOMIC_SEQ_CST);
        if (now < FP_STEPS && fp_steps[now].thread == fp_self) break;
        if (now >= FP_STEPS && fp_self == FP_FAILING) fp_lost("goes on after the last step");
        fp_pause(&seen, &pauses, "waits for its turn in vain");
    }
    const struct fp_step *step = &fp_steps[fp_now];
    if (step->kind != kind && !(kind == 'u' && (step->kind == 's' || step->kind == 'w'))) fp_lost("makes another step than the next one of the run");
    dprintf(1, "%4d  %-14s line %4d: %s", fp_now + 1, fp_names[fp_self], step->line, step->what);
    fp_holding = 1;
}

static void fp_turn(char kind, const volatile void *place) {
    if (fp_depth || fp_holding) return;
    int object = 0;
    const volatile char *at = place;
    while (object < FP_OBJECTS && (!fp_objects[object].place || at < fp_objects[object].place || at >= fp_objects[object].place + fp_objects[object].size)) object++;
    if (object == FP_OBJECTS) return; /* nobody else sees it */
    fp_await(kind);
    if (fp_steps[fp_now].kind != 's' && fp_steps[fp_now].object != object) fp_lost("makes a step with another variable than the next one of the run");
}

static void fp_value(long value) {
    if (fp_holding && !fp_depth) dprintf(1, " %ld", value);
}

static void fp_done(void) {
    if (!fp_holding || fp_depth) return;
    fp_holding = 0;
    dprintf(1, "\n");
    __atomic_store_n(&fp_now, fp_now + 1, __ATOMIC_SEQ_CST);
}

static void fp_enter(void) {
    if (!fp_depth) fp_await('s');
    fp_depth++;
}

static void fp_leave(void) {
    fp_depth--;
    fp_done();
}

/* What this thread would do now it does after the run. */
static void fp_stop(void) {
    int seen = -1, pauses = 0;
    if (fp_self == FP_FAILING) fp_lost("ends");
    for (;;) fp_pause(&seen, &pauses, "waits for the error in vain");
}

static long fp_input(void) {
    int count = 0;
    for (int at = 0; at < FP_INPUTS; at++)
        if (fp_inputs[at][0] == fp_self && count++ == fp_next_input[fp_self]) {
            fp_next_input[fp_self]++;
            return fp_inputs[at][1];
        }
    return 0;
}

static long fp_open(int declaration) {
    int count = 0;
    if (fp_self < 0) return 0;
    for (int at = 0; at < FP_OPENS; at++)
        if (fp_opens[at][0] == fp_self && fp_opens[at][1] == declaration && count++ == fp_next_open[fp_self][declaration]) {
            fp_next_open[fp_self][declaration]++;
            return fp_opens[at][2];
        }
    return 0;
}

static long fp_index(long index, long count, int line) {
    if (index < 0 || (count >= 0 && index >= count)) fp_error("an index is outside of its array", line);
    return index;
}

/* The mutexes that this thread holds, where that is checked. */
static _Thread_local const volatile void *fp_held[100];
static _Thread_local int fp_holds;

static void fp_take(const volatile void *mutex) {
    if (fp_holds == 100) fp_lost("holds too many mutexes for this program");
    fp_held[fp_holds++] = mutex;
}

static void fp_give(const volatile void *mutex, int line) {
    int at = 0;
    while (at < fp_holds && fp_held[at] != mutex) at++;
    if (at == fp_holds) fp_error("a mutex is unlocked that the thread does not hold", line);
    fp_held[at] = fp_held[--fp_holds];
}

static void fp_end(int line) {
    if (fp_holds) fp_error("a thread ends while it holds a mutex", line);
}

static struct fp_begin *fp_child(void *(*function)(void *), void *argument) {
    static struct fp_begin begins[FP_STEPS + 1];
    static int made;
    if (!fp_depth) fp_await('c');
    struct fp_begin *begin = &begins[made++];
    begin->function = function;
    begin->argument = argument;
    begin->thread = fp_steps[fp_now].object;
    return begin;
}

static void *fp_thread(void *begin) {
    struct fp_begin *this = begin;
    fp_self = this->thread;
    void *result = this->function(this->argument);
    fp_end(FP_LINE);
    if (fp_self == FP_FAILING) fp_lost("ends");
    return result;
}

static int fp_is_main(void) { return fp_self == FP_MAIN; }

static void fp_object(int object, const volatile void *place, unsigned long size) {
    fp_objects[object].place = place;
    fp_objects[object].size = size;
}

#ifdef FP_MACHINE_STOPS
/* The machine notices a division by zero or an overflow: with SIGILL, SIGTRAP, SIGABRT or SIGFPE. */
extern void (*signal(int, void (*)(int)))(int);
static void fp_signal(int number) {
    (void)number;
    if (fp_self != FP_FAILING || fp_now < FP_STEPS) fp_lost("is stopped by the machine");
    fp_error("the machine stops the program", FP_MACHINE_STOPS);
}
#endif

int main(void) {
    alarm(120);
#ifdef FP_MACHINE_STOPS
    signal(4, fp_signal);
    signal(5, fp_signal);
    signal(6, fp_signal);
    signal(8, fp_signal);
#endif
    fp_self = FP_MAIN;
    fp_run();
    fp_end(FP_LINE);
    fp_stop();
}
