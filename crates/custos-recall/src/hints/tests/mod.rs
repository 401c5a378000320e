mod files;
mod signatures;
